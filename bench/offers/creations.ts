/** Method `B` creations end to end: how many, how fast, and the processor time that one takes in each process. */
import { availableParallelism } from 'node:os';
import type { Settings } from '@offer-ads/dev/start/plans';
import { closedLoop, type Load } from '../closed-loop.ts';
import { cpuMsByName, machineBusyMs } from '../cpu.ts';
import { waitUntilIdle, watchForeignLoad } from '../machine-load.ts';
import { median, overRounds, percent, percentile, shown, table } from '../markdown.ts';
import type { Stores } from '../stores.ts';
import { type Population, provideAdvertisers } from './advertisers.ts';
import { creator } from './creating.ts';
import { makePictures } from './pictures.ts';
import { openCounters } from './postgres-counters.ts';
import { startSystem } from './system.ts';

/** Enough to keep two cores busy, and few enough that no picture is turned away for too many waiting. */
const atOnce = 8;

export type CreationPlan = Population & {
  readonly rounds: number;
  readonly firstWarmUpSeconds: number;
  readonly warmUpSeconds: number;
  readonly saturatedSeconds: number;
  readonly aloneSeconds: number;
};

type Sample = {
  readonly saturated: Load;
  readonly alone: Load;
  /** By name of the process, of one creation at saturation. */
  readonly cpuMs: ReadonlyMap<string, number>;
  /** Of all cores, 0 to 1. */
  readonly busy: number;
  readonly foreignLoad: number;
  /** Durable transactions of one creation. */
  readonly writes: number;
};

export async function measureCreations(
  opened: AsyncDisposableStack,
  o: { stores: Stores; settings: Settings; plan: CreationPlan; report: (line: string) => void },
): Promise<{ readonly report: string; readonly isDurable: boolean }> {
  const { plan } = o;
  const counters = opened.use(await openCounters(o.stores.backing.postgresUrl));
  o.report('Starting the system ...');
  const system = await startSystem(opened, o.settings);
  const pictures = await makePictures();
  const keys = await provideAdvertisers(system, plan);
  const creating = creator({ gatewayUrl: system.gatewayUrl, keys, pictures });
  opened.defer(creating.close);

  const samples: Sample[] = [];
  for (let round = 1; round <= plan.rounds; round += 1) {
    const seconds = round === 1 ? plan.firstWarmUpSeconds : plan.warmUpSeconds;
    await closedLoop(creating.create, { atOnce, seconds });
    const foreign = watchForeignLoad();
    const writesBefore = await counters.writes();
    const cpuBefore = cpuMsByName(process.pid, system.pids());
    const busyBefore = machineBusyMs();
    const saturated = await closedLoop(creating.create, { atOnce, seconds: plan.saturatedSeconds });
    const [writes, cpu, busy] = [
      await counters.writes(),
      cpuMsByName(process.pid, system.pids()),
      machineBusyMs(),
    ];
    const foreignLoad = foreign();
    // Mails, events and the call log follow; they are not the next one's.
    await waitUntilIdle();
    const sample: Sample = {
      saturated,
      alone: await closedLoop(creating.create, { atOnce: 1, seconds: plan.aloneSeconds }),
      cpuMs: new Map(
        [...cpu].map(([name, ms]) => [name, (ms - (cpuBefore.get(name) ?? 0)) / saturated.done]),
      ),
      busy: (busy - busyBefore) / (saturated.seconds * 1_000 * availableParallelism()),
      foreignLoad,
      writes: (writes - writesBefore) / saturated.done,
    };
    samples.push(sample);
    o.report(`round ${round}  ${rate(sample).toFixed(1)} creations/s, others ${percent(foreignLoad)}`);
  }
  const { version, durability } = counters;
  const postgres = `Postgres ${version} (${durability ?? '**not durable**'})`;
  const intro = `${postgres}; pictures of ${shown(pictures.bytes / 1_024)} KiB.`;
  return { report: `${intro} ${reportOf(samples)}`, isDurable: durability !== null };
}

function rate({ saturated }: Sample): number {
  return saturated.done / saturated.seconds;
}

/** Programs of the stores under the names that people know them by. */
const programs: Readonly<Record<string, string>> = {
  postgres: 'Postgres',
  mongod: 'MongoDB',
  'beam.smp': 'RabbitMQ',
  'valkey-server': 'Valkey',
  'redis-server': 'Valkey',
};

function reportOf(samples: readonly Sample[]): string {
  const cell = (of: (sample: Sample) => number) => overRounds(samples.map(of), 1);
  const middle = (of: (sample: Sample) => number) => median(samples.map(of));
  const foreign = Math.max(...samples.map(({ foreignLoad }) => foreignLoad));
  const names = new Set(samples.flatMap(({ cpuMs }) => [...cpuMs.keys()]));
  const costs = Array.from(names, (name) => ({
    title: programs[name] ?? name,
    ms: middle(({ cpuMs }) => cpuMs.get(name) ?? 0),
  }));
  const large = costs.filter(({ ms }) => ms >= 0.05).toSorted((one, other) => other.ms - one.ms);
  const together = costs.reduce((sum, { ms }) => sum + ms, 0);
  return [
    `Other processes took at most ${percent(foreign)} of the cores. Medians over the rounds, in brackets the least and the most. ` +
      `A creation is ${shown(middle(({ writes }) => writes))} durable transactions.`,
    table(
      [
        `creations/s, ${atOnce} at once`,
        'p50 ms',
        'p99 ms',
        'p50 ms, one at a time',
        'p99 ms, one at a time',
      ],
      [
        [
          cell(rate),
          ...[50, 99].map((at) => cell(({ saturated }) => percentile(saturated.latenciesMs, at))),
          ...[50, 99].map((at) => cell(({ alone }) => percentile(alone.latenciesMs, at))),
        ],
      ],
    ),
    table(
      ['', 'processor time of one creation, ms'],
      [
        ...large.map(({ title, ms }) => [title, shown(ms, 2)]),
        ['together', shown(together, 1)],
        ['cores busy', percent(middle(({ busy }) => busy))],
      ],
    ),
  ].join('\n\n');
}
