/** Many clients of one organisation create offers at once, so all need the same balance: their answers, and whether the money is right. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Settings } from '@offer-ads/dev/start/plans';
import { openPostgres, type Postgres } from '@offer-ads/platform/postgres/postgres';
import { createLogger } from '@offer-ads/platform/telemetry/logging';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { png } from '@offer-ads/testing/pictures/pictures';
import { waitUntilIdle } from '../machine-load.ts';
import { provideOneAdvertiser } from './advertisers.ts';
import { type Answer, creator } from './creating.ts';
import { startSystem } from './system.ts';

/** The first is as many as may be under way (decision 161, bounded queues), the second is far more. */
const clientsAtOnce = [64, 200];
const busyLoops = 2;
/** Of one creation: far more than any needs, so that a run ends. */
const maxTries = 200;

export type OneBalanceSample = {
  readonly clients: number;
  readonly isBusy: boolean;
  readonly seconds: number;
  readonly creations: number;
  /** More than the creations when some had to be asked for again. */
  readonly answers: readonly TimedAnswer[];
  readonly money: Money;
};
export type TimedAnswer = Answer & { readonly tookMs: number };

/** When everything is idle. */
export type Money = {
  readonly charges: number;
  readonly chargedMinor: bigint;
  readonly balanceFellMinor: bigint;
  readonly offersShown: number;
};

export async function measureOneBalance(
  opened: AsyncDisposableStack,
  o: { settings: Settings; creations: number; report: (line: string) => void },
): Promise<OneBalanceSample[]> {
  o.report('Starting the system ...');
  const system = await startSystem(opened, o.settings);
  await system.putInPlace('a stand-in');
  const { organisationId, key } = await provideOneAdvertiser(system);
  const { databases } = o.settings.stores;
  const stores = {
    billing: opened.use(await openStore(databases.billing)),
    offers: opened.use(await openStore(databases.offers)),
  };
  const picture = await png();
  const asking = creator({
    gatewayUrl: system.gatewayUrl,
    keys: [key],
    pictures: { next: () => picture },
    atOnce: Math.max(...clientsAtOnce),
  });
  opened.defer(asking.close);
  await createMany(asking.ask, { count: Math.min(200, o.creations), atOnce: 8 });

  const samples: OneBalanceSample[] = [];
  for (const clients of clientsAtOnce) {
    for (const isBusy of [false, true]) {
      await waitUntilIdle();
      const before = await readMoney(stores, organisationId);
      await using load = new AsyncDisposableStack();
      for (let loops = isBusy ? busyLoops : 0; loops > 0; loops -= 1) keepBusy(load);
      const began = performance.now();
      const answers = await createMany(asking.ask, { count: o.creations, atOnce: clients });
      const seconds = (performance.now() - began) / 1_000;
      await load.disposeAsync();
      await waitUntilIdle();
      const money = changeOf(before, await readMoney(stores, organisationId));
      samples.push({ clients, isBusy, seconds, creations: o.creations, answers, money });
      o.report(
        `${clients} clients${isBusy ? ', busy machine' : ''}: ${answers.length} answers in ${seconds.toFixed(0)} s`,
      );
    }
  }
  return samples;
}

/** Each client creates one offer after the other. As the guide says, it asks again after a 503, or a 409 for a key in use, with the same key. */
async function createMany(
  ask: (idempotencyKey: string) => Promise<Answer>,
  o: { readonly count: number; readonly atOnce: number },
): Promise<TimedAnswer[]> {
  const answers: TimedAnswer[] = [];
  let left = o.count;
  const createOne = async () => {
    const key = randomUUID();
    for (let tries = 0; tries < maxTries; tries += 1) {
      const asked = performance.now();
      const answer = await ask(key);
      answers.push({ ...answer, tookMs: performance.now() - asked });
      if (answer.status !== 503 && answer.status !== 409) return;
      await pause(Number(answer.retryAfter ?? 1) * 1_000);
    }
  };
  const client = async () => {
    while (left > 0) {
      left -= 1;
      await createOne();
    }
  };
  await Promise.all(Array.from({ length: o.atOnce }, client));
  return answers;
}

function keepBusy(opened: AsyncDisposableStack): void {
  const loop = spawn(process.execPath, ['-e', 'while (true);'], { stdio: 'ignore' });
  opened.defer(() => void loop.kill('SIGKILL'));
}

function openStore(url: string): Promise<Postgres> {
  const logger = createLogger({ service: 'bench', level: 'silent' });
  return openPostgres({ url, logger, metrics: createMetrics('bench'), maxConnections: 1 });
}

type Standing = Record<'charges' | 'chargedMinor' | 'balanceMinor' | 'offersShown', bigint>;

async function readMoney(
  stores: { readonly billing: Postgres; readonly offers: Postgres },
  organisationId: number,
): Promise<Standing> {
  const [billed] = await stores.billing.query<Omit<Standing, 'offersShown'>>(
    `SELECT count(*) AS charges, coalesce(sum(net_minor), 0)::bigint AS "chargedMinor",
            (SELECT balance_minor FROM balances JOIN accounts USING (account_id)
              WHERE organisation_id = $1 AND mode = 'TEST' AND kind = 'prepaid-balance') AS "balanceMinor"
       FROM offer_payments WHERE organisation_id = $1 AND paid_at IS NOT NULL`,
    [organisationId],
  );
  const [shown] = await stores.offers.query<Pick<Standing, 'offersShown'>>(
    'SELECT count(*) AS "offersShown" FROM offers WHERE organisation_id = $1 AND shown_at IS NOT NULL',
    [organisationId],
  );
  if (billed === undefined || shown === undefined) throw new Error('a count has no row');
  return { ...billed, ...shown };
}

function changeOf(before: Standing, after: Standing): Money {
  return {
    charges: Number(after.charges - before.charges),
    chargedMinor: after.chargedMinor - before.chargedMinor,
    balanceFellMinor: before.balanceMinor - after.balanceMinor,
    offersShown: Number(after.offersShown - before.offersShown),
  };
}
