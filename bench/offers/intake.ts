/** Views per second into roll-ups: events as the community platform publishes them wait in the queue until offers starts. */
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePorts } from '@offer-ads/backing/free-port';
import { OfferViewed } from '@offer-ads/contracts/events/community';
import { repository } from '@offer-ads/dev/start/folder';
import type { Settings } from '@offer-ads/dev/start/plans';
import { connectBroker } from '@offer-ads/platform/messaging/broker/broker';
import { newEvent, type OutgoingEvent } from '@offer-ads/platform/messaging/events';
import { createLogger } from '@offer-ads/platform/telemetry/logging';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import pg from 'pg';
import { median, overRounds, percent, shown, table } from '../markdown.ts';
import { measureByTurns, measureProgress, type Sample } from '../progress.ts';
import { createDatabase, type Stores } from '../stores.ts';
import { planOf, startPlanned } from './system.ts';

const aim = 5_000;
const offersInAll = 1_000;
const viewersInAll = 20_000;
/** Published and confirmed together. */
const batch = 1_000;
/** Batches under way at once. */
const atOnce = 4;
/** A double count would happen right afterwards. */
const afterwardsMs = 200;

type Turn = {
  readonly title: string;
  readonly offers: number;
  readonly hasViewers: boolean;
  readonly replicas: number;
};

const twoReplicas: Turn = {
  title: 'one hot offer, with viewers, two replicas',
  offers: 1,
  hasViewers: true,
  replicas: 2,
};
const turns: readonly Turn[] = [
  { title: '1,000 offers', offers: offersInAll, hasViewers: false, replicas: 1 },
  { title: '1,000 offers, with viewers', offers: offersInAll, hasViewers: true, replicas: 1 },
  { title: 'one hot offer', offers: 1, hasViewers: false, replicas: 1 },
  { title: 'one hot offer, with viewers', offers: 1, hasViewers: true, replicas: 1 },
  twoReplicas,
];

export async function measureIntake(
  opened: AsyncDisposableStack,
  o: {
    readonly stores: Stores;
    readonly settings: Settings;
    readonly rounds: number;
    readonly quick: boolean;
    readonly report: (line: string) => void;
  },
): Promise<string> {
  const databaseUrl = await createDatabase(opened, {
    serverUrl: o.stores.backing.postgresUrl,
    name: 'intake',
    migrations: join(repository, 'services/offers/migrations'),
  });
  const db = new pg.Client({ connectionString: databaseUrl });
  await db.connect();
  opened.defer(() => db.end());
  await putOffers(db);
  const views = o.quick ? 2_000 : 100_000;
  const counted = async () => {
    const { rows } = await db.query<{ count: number }>(
      'SELECT coalesce(sum(views + views_repeated + views_automated), 0)::float8 AS count FROM traffic',
    );
    return rows[0]?.count ?? 0;
  };
  // The last turn has all that the others have.
  const samples = await measureByTurns(o.quick ? [twoReplicas] : turns, o, async (turn) => {
    await db.query('TRUNCATE traffic, traffic_inbox, traffic_viewers');
    await fillQueue(o.settings.stores.rabbitmq, views, turn);
    await using taking = new AsyncDisposableStack();
    const begin = async () => {
      const ports = await freePorts(turn.replicas);
      const replicas = await Promise.all(ports.map((port) => startOffers(o.settings, databaseUrl, port)));
      return replicas.map((replica) => taking.use(replica).pid);
    };
    const sample = await measureProgress({ count: views, begin, done: counted });
    await pause(afterwardsMs);
    const count = await counted();
    if (count !== views) throw new Error(`${turn.title}: ${count} of ${views} views are in the roll-ups`);
    return sample;
  });
  return report(samples);
}

function startOffers(settings: Settings, databaseUrl: string, port: number) {
  const plan = planOf('offers', settings);
  const env = { ...plan.env, OFFERS_DATABASE_URL: databaseUrl, PORT: `${port}`, ADMIN_PORT: '0' };
  const readyUrl = `http://127.0.0.1:${port}/readyz`;
  return startPlanned({ name: `offers-${port}`, args: plan.args, env, readyUrl }, settings);
}

async function fillQueue(url: string, count: number, turn: Turn): Promise<void> {
  await using broker = await connectBroker({
    url,
    service: 'admin',
    declarations: [OfferViewed],
    logger: createLogger({ service: 'bench', level: 'silent' }),
    metrics: createMetrics('bench'),
  });
  let begun = 0;
  const publishBatches = async () => {
    while (begun < count) {
      const size = Math.min(batch, count - begun);
      begun += size;
      await broker.publish(Array.from({ length: size }, () => view(turn)));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, publishBatches));
}

function view({ offers, hasViewers }: Turn): OutgoingEvent {
  const at = new Date();
  const offerId = 1 + randomInt(offers);
  const viewer = hasViewers ? { viewer: `viewer-${randomInt(viewersInAll)}-of-today` } : {};
  return newEvent(OfferViewed, {
    subject: `offer/${offerId}`,
    subjectVersion: 0,
    at,
    data: { offerId, viewedAt: at.toISOString(), ...viewer },
  });
}

/** With ids from 1 on. */
async function putOffers(db: pg.Client): Promise<void> {
  await db.query("INSERT INTO categories VALUES (1, 'Food', true, NULL) ON CONFLICT DO NOTHING");
  await db.query(
    `INSERT INTO offers (offer_id, organisation_id, mode, trading_name, country, currency, category_id, title, description,
       terms_and_conditions, url, image, latitude, longitude, radius_miles, gender, interests, created_at, start_at,
       expiry_at, payment_method, net_minor, matching_users, shown_at)
     OVERRIDING SYSTEM VALUE
     SELECT id, 1, 'TEST', 'T', 'GB', 'GBP', 1, 'T', '', '', 'https://a.test', 'i', 0, 0, 5, '{}', '{}', now(), now(),
       now() + interval '1 year', 'B', 100, 50, now()
     FROM generate_series(1, $1::integer) AS id`,
    [offersInAll],
  );
}

function report(samples: ReadonlyMap<Turn, readonly Sample[]>): string {
  const columns = [
    ({ perSecond }: Sample) => perSecond,
    ({ cpuMicros }: Sample) => cpuMicros,
    ({ cpuMicrosInAll }: Sample) => cpuMicrosInAll,
  ];
  const rows = [...samples].map(([{ title }, taken]) =>
    [title].concat(columns.map((of) => overRounds(taken.map(of), 0))),
  );
  const all = [...samples.values()];
  const slowest = Math.min(...all.map((taken) => median(taken.map(({ perSecond }) => perSecond))));
  const disturbed = Math.max(...all.flat().map(({ foreignLoad }) => foreignLoad));
  return [
    `Medians over the rounds, in brackets the least and the most. Other processes took at most ${percent(disturbed)} of the cores.`,
    table(['', 'views/s', 'CPU µs/view, service', 'CPU µs/view, all'], rows),
    `Aim: at least ${shown(aim)} views a second with roll-ups. The slowest row has ${shown(slowest)} ${slowest >= aim ? '✓' : '✗'}`,
  ].join('\n\n');
}
