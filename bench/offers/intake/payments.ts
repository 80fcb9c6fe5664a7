/** How long a card payment takes to make its offer Active, while views wait for the same service. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Broker } from '@offer-ads/platform/messaging/broker/broker';
import pg from 'pg';
import { createDatabase, type Stores } from '../../stores.ts';
import { connect, fillQueue, publishPayment } from './events.ts';
import { countedIn, NET_MINOR, putOffers } from './measure.ts';
import { migrations, startReplicas } from './replicas.ts';

const PAYMENTS = 100;
const OFFERS = 1_000;
const VIEWERS = 20_000;
const LOOK_EVERY_MS = 2;
/** Between two payments. */
const PAUSE_MS = 100;

export type Payments = {
  readonly views: number;
  /** From the publication of OfferPaid until a reader of the database sees the payment, milliseconds each. */
  readonly aloneMs: readonly number[];
  readonly besideViewsMs: readonly number[];
  /** When the first and the last of these payments were published. */
  readonly waitingViews: readonly [first: number, last: number];
  readonly viewsPerSecond: number;
  readonly fillSeconds: number;
};

export async function measurePayments(
  opened: AsyncDisposableStack,
  o: { readonly stores: Stores; readonly views: number; readonly report: (line: string) => void },
): Promise<Payments> {
  const { folder, backing } = o.stores;
  const { postgresUrl: serverUrl, rabbitmqUrl } = backing;
  const databaseUrl = await createDatabase(opened, { serverUrl, name: 'payments', migrations });
  const db = new pg.Client({ connectionString: databaseUrl });
  await db.connect();
  opened.defer(() => db.end());
  await putOffers(db, { count: OFFERS, paid: 'E' });
  const broker = opened.use(await connect(rabbitmqUrl));
  const stage = { folder, databaseUrl, rabbitmqUrl };
  let nextOffer = 1;
  const pay = () => timeOfPayment(broker, db, nextOffer++);

  const aloneMs: number[] = [];
  {
    await using _replica = await startReplicas(stage, 1);
    // The first payments also compile the code and open connections.
    for (let warmUp = 0; warmUp < 10; warmUp += 1) await pay();
    while (aloneMs.push(await pay()) < PAYMENTS) await pause(PAUSE_MS);
  }

  const fillingFrom = performance.now();
  await fillQueue(rabbitmqUrl, o.views, { offers: OFFERS, viewers: VIEWERS });
  const fillSeconds = (performance.now() - fillingFrom) / 1_000;
  o.report(`${o.views} views wait after ${Math.round(fillSeconds)} s`);

  await using _replica = await startReplicas(stage, 1);
  for (let counted = 0; counted === 0; counted = await countedIn(db)) await pause(LOOK_EVERY_MS);
  const countingFrom = performance.now();
  const waiting: number[] = [];
  const besideViewsMs: number[] = [];
  while (besideViewsMs.length < PAYMENTS) {
    waiting.push(o.views - (await countedIn(db)));
    besideViewsMs.push(await pay());
    await pause(PAUSE_MS);
  }
  const counted = await countedIn(db);
  const viewsPerSecond = (counted * 1_000) / (performance.now() - countingFrom);
  if (counted >= o.views)
    throw new Error('no view waited any more when the last payment came: use more --views');
  return {
    views: o.views,
    aloneMs,
    besideViewsMs,
    waitingViews: [waiting.at(0) ?? 0, waiting.at(-1) ?? 0],
    viewsPerSecond,
    fillSeconds,
  };
}

async function timeOfPayment(broker: Broker, db: pg.Client, offerId: number): Promise<number> {
  const publishedAt = performance.now();
  await publishPayment(broker, offerId, NET_MINOR);
  for (;;) {
    const { rowCount } = await db.query(
      'SELECT FROM offers WHERE offer_id = $1 AND payment_applied_at IS NOT NULL',
      [offerId],
    );
    if (rowCount === 1) return performance.now() - publishedAt;
    await pause(LOOK_EVERY_MS);
  }
}
