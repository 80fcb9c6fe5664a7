/** Who takes views in: offers as a process, as deployed; and what a view costs when each has a transaction of its own. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePorts } from '@offer-ads/backing/free-port';
import { OfferClicked, OfferViewed } from '@offer-ads/contracts/events/community';
import { on } from '@offer-ads/platform/messaging/broker/broker';
import { openPostgres, type Queryable } from '@offer-ads/platform/postgres/postgres';
import { createLogger } from '@offer-ads/platform/telemetry/logging';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { adminTokenHashes } from '@offer-ads/testing/admin';
import { startProcess } from '../../process.ts';
import { connect, type Traffic, view } from './events.ts';

export type Stage = { readonly folder: string; readonly databaseUrl: string; readonly rabbitmqUrl: string };

/** A peer at work; gives the processor time that it has taken so far, where that can be told apart. */
export type AtWork = AsyncDisposable & { readonly pids: readonly number[] };

const directory = fileURLToPath(new URL('../../../services/offers', import.meta.url));
export const migrations = join(directory, 'migrations');

/** Every replica with its pool, its consumer and everything else that the service does. */
export async function startReplicas(stage: Stage, count: number): Promise<AtWork> {
  const started = new AsyncDisposableStack();
  const secret = () => randomBytes(24).toString('hex');
  const nobody = 'http://127.0.0.1:9';
  const shared = {
    NODE_ENV: 'production',
    LOG_LEVEL: 'warn',
    OFFERS_DATABASE_URL: stage.databaseUrl,
    RABBITMQ_URL: stage.rabbitmqUrl,
    PRICING_URL: nobody,
    BILLING_URL: nobody,
    MODERATION_URL: nobody,
    PUBLIC_URL: nobody,
    IMAGE_STORE_URL: `file://${join(stage.folder, 'images')}`,
    ADMIN_TOKEN_HASHES: adminTokenHashes,
    OFFERS_CONTEXT_SECRET: secret(),
    PRICING_CONTEXT_SECRET: secret(),
    BILLING_CONTEXT_SECRET: secret(),
    MODERATION_CONTEXT_SECRET: secret(),
    IMAGE_URL_SECRET: secret(),
  };
  const ports = await freePorts(count);
  const replicas = await Promise.all(
    ports.map((port) =>
      startProcess({
        name: `offers-${port}`,
        folder: stage.folder,
        cwd: directory,
        command: process.execPath,
        args: ['src/main.ts'],
        env: { ...shared, PORT: String(port) },
        readyUrl: `http://127.0.0.1:${port}/readyz`,
      }),
    ),
  );
  for (const replica of replicas) started.use(replica);
  return { pids: replicas.map(({ pid }) => pid), [Symbol.asyncDispose]: () => started.disposeAsync() };
}

/** The named peer: the same broker and tables, a transaction and an acknowledgement for each view, five at once. */
export async function startOneByOne(stage: Stage): Promise<AtWork> {
  const started = new AsyncDisposableStack();
  const postgres = started.use(await open(stage));
  const broker = started.use(await connect(stage.rabbitmqUrl, 'offers'));
  await broker.consume([
    on(OfferViewed, ({ id, data }) =>
      postgres.transaction(async (tx) => {
        const recorded = await tx.query(
          'INSERT INTO traffic_inbox VALUES ($1, now()) ON CONFLICT DO NOTHING RETURNING event_id',
          [id],
        );
        if (recorded.length === 0) return;
        await tx.query('SELECT created_at FROM offers WHERE offer_id = $1', [data.offerId]);
        await addView(tx, data.offerId, data.viewedAt);
      }),
    ),
    on(OfferClicked, async () => {}),
  ]);
  return { pids: [], [Symbol.asyncDispose]: () => started.disposeAsync() };
}

/** What Postgres takes of the same, with no broker in front: one statement for each view, on ten connections. */
export async function startBareSql(stage: Stage, count: number, traffic: Traffic): Promise<AtWork> {
  const postgres = await open(stage);
  let left = count;
  async function work(): Promise<void> {
    for (; left > 0; ) {
      left -= 1;
      const { id, data } = view(traffic, new Date());
      const { offerId, viewedAt } = data as { offerId: number; viewedAt: string };
      await postgres.query(
        `WITH recorded AS (INSERT INTO traffic_inbox VALUES ($1, now()) ON CONFLICT DO NOTHING RETURNING event_id),
              shown AS (SELECT offer_id FROM offers, recorded WHERE offer_id = $2)
         INSERT INTO traffic AS known (offer_id, hour, views)
         SELECT offer_id, date_trunc('hour', $3::timestamptz, 'UTC'), 1 FROM shown
         ON CONFLICT (offer_id, hour) DO UPDATE SET views = known.views + 1`,
        [id, offerId, viewedAt],
      );
    }
  }
  const working = Promise.all(Array.from({ length: 10 }, work));
  return {
    pids: [],
    [Symbol.asyncDispose]: async () => {
      left = 0;
      await working;
      await postgres[Symbol.asyncDispose]();
    },
  };
}

async function addView(db: Queryable, offerId: number, viewedAt: string): Promise<void> {
  await db.query(
    `INSERT INTO traffic AS known (offer_id, hour, views) VALUES ($1, date_trunc('hour', $2::timestamptz, 'UTC'), 1)
     ON CONFLICT (offer_id, hour) DO UPDATE SET views = known.views + 1`,
    [offerId, viewedAt],
  );
}

/** A hot row makes those that wait for it slow, which is what is to be seen, and no error. */
function open({ databaseUrl }: Stage) {
  return openPostgres({
    url: databaseUrl,
    logger: createLogger({ service: 'bench', level: 'silent' }),
    metrics: createMetrics('bench'),
    statementTimeoutMs: 60_000,
  });
}
