/** All take turns within each round, so that a slow moment of the machine slows all. */
import { fileURLToPath } from 'node:url';
import { closedLoop } from '../closed-loop.ts';
import { cpuMsByName, cpuMsOf } from '../cpu.ts';
import { waitUntilIdle, watchForeignLoad } from '../machine-load.ts';
import { percentile, shown } from '../markdown.ts';
import { type CounterReader, openCounters } from '../offers/postgres-counters.ts';
import { createDatabase, type Stores } from '../stores.ts';
import {
  AT_ONCE,
  fundEverybody,
  ORGANISATIONS,
  openCharging,
  openPool,
  recordCharge,
  writeScripts,
} from './charging.ts';
import { runPgbench, versionOf } from './pgbench.ts';
import { measureRelay, type Relaying } from './relay.ts';
import { startService } from './service.ts';
import { countPaid, openCheckouts, paidWebhook } from './webhooks.ts';

export const ways = [
  "billing's function",
  'over HTTP',
  'pgbench, the same statements',
  'pgbench, plain SQL',
] as const;
export type Way = (typeof ways)[number];
export const spreads = [
  'one hot organisation',
  `${ORGANISATIONS.toLocaleString('en-GB')} organisations`,
] as const;
export type Spread = (typeof spreads)[number];

export type Sample = {
  readonly perSecond: number;
  /** The syncs and WAL of Postgres for each transaction. */
  readonly walSyncs: number;
  readonly walBytes: number;
  /** Processor time for each: of everything that was started here, and of the Node processes among it. */
  readonly cpuMicros: number;
  readonly nodeCpuMicros: number;
  readonly foreignLoad: number;
};
export type Webhooks = {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly aloneP50Ms: number;
  readonly aloneP99Ms: number;
  readonly foreignLoad: number;
};
export type Run = {
  readonly samples: ReadonlyMap<Spread, ReadonlyMap<Way, readonly Sample[]>>;
  readonly webhooks: readonly Webhooks[];
  readonly relaying: readonly Relaying[];
  /** Statements of a charge, its beginning and commit included: a round trip each. */
  readonly roundTrips: number;
  readonly postgres: string;
  readonly pgbench: string;
  readonly durability: string | null;
};

const migrations = fileURLToPath(new URL('../../services/billing/migrations', import.meta.url));

/** In whole seconds, as pgbench counts. */
type Plan = {
  readonly warmUpSeconds: number;
  readonly seconds: number;
  readonly webhookSeconds: number;
  readonly events: number;
  readonly eventsAlone: number;
};

export async function measureBilling(
  opened: AsyncDisposableStack,
  o: { stores: Stores; rounds: number; quick: boolean; pgbench: string; report: (line: string) => void },
): Promise<Run> {
  const plan: Plan = o.quick
    ? { warmUpSeconds: 1, seconds: 2, webhookSeconds: 1, events: 5_000, eventsAlone: 50 }
    : { warmUpSeconds: 1, seconds: 5, webhookSeconds: 4, events: 40_000, eventsAlone: 200 };
  const { folder, backing } = o.stores;
  const databaseUrl = await createDatabase(opened, {
    serverUrl: backing.postgresUrl,
    name: 'billing',
    migrations,
  });
  const counters = opened.use(await openCounters(backing.postgresUrl));
  const postgres = opened.use(await openPool(databaseUrl));
  await fundEverybody(postgres);
  const recorded = await recordCharge(postgres);
  const scripts = await writeScripts(folder, recorded);
  // A database of its own, because the service relays the events of the other one.
  const relayUrl = await createDatabase(opened, {
    serverUrl: backing.postgresUrl,
    name: 'relay',
    migrations,
  });
  const relay = { postgres: opened.use(await openPool(relayUrl)), rabbitmqUrl: backing.rabbitmqUrl };
  const service = await startService(opened, { folder, databaseUrl, rabbitmqUrl: backing.rabbitmqUrl });

  let turns = 0;
  const byPgbench = (scriptFile: string) => (spread: boolean, seconds: number) => {
    turns += 1;
    const variables = { n: 0, base: turns * AT_ONCE, orgs: spread ? ORGANISATIONS : 1 };
    return runPgbench({ program: o.pgbench, scriptFile, databaseUrl, variables, clients: AT_ONCE, seconds });
  };
  const looped = (work: (spread: boolean) => Promise<void>) => async (spread: boolean, seconds: number) => {
    const load = await closedLoop(() => work(spread), { atOnce: AT_ONCE, seconds });
    return load.done / load.seconds;
  };
  const work: Record<Way, (spread: boolean, seconds: number) => Promise<number>> = {
    "billing's function": looped(openCharging(postgres)),
    'over HTTP': looped(service.charge),
    'pgbench, the same statements': byPgbench(scripts.same),
    'pgbench, plain SQL': byPgbench(scripts.plain),
  };
  const names = new Map([
    [process.pid, 'the bench'],
    [service.pid, 'billing'],
  ]);

  const samples = new Map(
    spreads.map((spread) => [spread, new Map(ways.map((way) => [way, [] as Sample[]]))]),
  );
  const webhooks: Webhooks[] = [];
  const relaying: Relaying[] = [];
  for (let round = 1; round <= o.rounds; round += 1) {
    for (const [spread, taken] of samples) {
      for (const [way, all] of taken) {
        const sample = await measureTurn({ counters, names, plan }, (seconds) =>
          work[way](spread !== spreads[0], seconds),
        );
        all.push(sample);
        o.report(
          `round ${round}  ${spread.padEnd(22)} ${way.padEnd(30)} ${shown(sample.perSecond).padStart(7)}/s`,
        );
      }
    }
    const intake = await measureWebhooks(plan);
    webhooks.push(intake);
    o.report(`round ${round}  webhooks ${shown(intake.perSecond)}/s, p99 ${shown(intake.p99Ms, 1)} ms`);
    const relayed = await measureRelay({ ...relay, events: plan.events, alone: plan.eventsAlone });
    relaying.push(relayed);
    o.report(`round ${round}  relay ${shown(relayed.perSecond)}/s, alone ${shown(relayed.idleP50Ms, 1)} ms`);
  }
  return {
    samples,
    webhooks,
    relaying,
    roundTrips: recorded.length,
    postgres: counters.version,
    pgbench: await versionOf(o.pgbench),
    durability: counters.durability,
  };

  async function measureWebhooks({ warmUpSeconds, webhookSeconds }: Plan): Promise<Webhooks> {
    await waitUntilIdle();
    const before = await countPaid(postgres);
    const foreignLoad = watchForeignLoad();
    let received = 0;
    const saturated = await intake(AT_ONCE, warmUpSeconds + webhookSeconds);
    const alone = await intake(1, webhookSeconds / 2);
    const booked = (await countPaid(postgres)) - before;
    if (booked !== received) throw new Error(`${received} webhooks were accepted, ${booked} payments booked`);
    return {
      perSecond: saturated.done / saturated.seconds,
      p50Ms: percentile(saturated.latenciesMs, 50),
      p99Ms: percentile(saturated.latenciesMs, 99),
      aloneP50Ms: percentile(alone.latenciesMs, 50),
      aloneP99Ms: percentile(alone.latenciesMs, 99),
      foreignLoad: foreignLoad(),
    };

    async function intake(atOnce: number, seconds: number) {
      // More than can be taken in: signed in time, and none is taken for another.
      const ids = [...(await openCheckouts(postgres, Math.ceil(seconds * MAX_PER_SECOND)))];
      const load = await closedLoop(
        async () => {
          const id = ids.pop();
          if (id === undefined)
            throw new Error(`more than ${MAX_PER_SECOND} webhooks a second: open more checkouts`);
          await service.receive(paidWebhook(id, service.webhookSecret));
          received += 1;
        },
        { atOnce, seconds },
      );
      await postgres.query("DELETE FROM offer_payments WHERE state = 'open'");
      return load;
    }
  }
}

const MAX_PER_SECOND = 4_000;

async function measureTurn(
  o: { counters: CounterReader; names: ReadonlyMap<number, string>; plan: Plan },
  work: (seconds: number) => Promise<number>,
): Promise<Sample> {
  await waitUntilIdle();
  await work(o.plan.warmUpSeconds);
  const foreignLoad = watchForeignLoad();
  const cpuMs = () => {
    const own = cpuMsByName(process.pid, o.names);
    const node = [...o.names.values()].reduce((sum, name) => sum + (own.get(name) ?? 0), 0);
    return { all: cpuMsOf(process.pid), node };
  };
  const cpu = cpuMs();
  const [before, began] = [await o.counters.read(), performance.now()];
  const perSecond = await work(o.plan.seconds);
  const [after, seconds] = [await o.counters.read(), (performance.now() - began) / 1_000];
  const done = perSecond * seconds;
  const used = cpuMs();
  return {
    perSecond,
    walSyncs: (after.walSyncs - before.walSyncs) / done,
    walBytes: (after.walBytes - before.walBytes) / done,
    cpuMicros: ((used.all - cpu.all) * 1_000) / done,
    nodeCpuMicros: ((used.node - cpu.node) * 1_000) / done,
    foreignLoad: foreignLoad(),
  };
}
