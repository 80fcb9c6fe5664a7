/** Method `B` creations end to end, beside the bare commits that they need, and the processor time that one takes in each process. */
import { availableParallelism } from 'node:os';
import type { Settings } from '@offer-ads/dev/start/plans';
import { closedLoop, type Load } from '../closed-loop.ts';
import { cpuMsByName, machineBusyMs } from '../cpu.ts';
import { waitUntilIdle, watchForeignLoad } from '../machine-load.ts';
import { median, overRounds, percent, percentile, shown, table } from '../markdown.ts';
import { createDatabase, type Stores } from '../stores.ts';
import { type Population, provideAdvertisers } from './advertisers.ts';
import { openBareCommits } from './bare-commits.ts';
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

type Loads = { readonly saturated: Load; readonly alone: Load };

type Sample = Loads & {
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
  const serverUrl = o.stores.backing.postgresUrl;
  const counters = opened.use(await openCounters(serverUrl));
  const peerUrl = await createDatabase(opened, { serverUrl, name: 'peer' });
  const commitBarely = await openBareCommits(opened, { databaseUrl: peerUrl, atOnce });
  o.report('Starting the system ...');
  const system = await startSystem(opened, o.settings);
  const pictures = await makePictures();
  const keys = await provideAdvertisers(system, plan);
  const creating = creator({ gatewayUrl: system.gatewayUrl, keys, pictures });
  opened.defer(creating.close);

  const samples: Sample[] = [];
  const peers: Loads[] = [];
  let commits = 0;
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
    commits ||= Math.round(sample.writes);
    peers.push({
      saturated: await commitBarely({ writes: commits, atOnce, seconds: plan.aloneSeconds }),
      alone: await commitBarely({ writes: commits, atOnce: 1, seconds: plan.aloneSeconds }),
    });
    o.report(`round ${round}  ${rate(sample).toFixed(1)} creations/s, others ${percent(foreignLoad)}`);
  }
  const { version, durability } = counters;
  const postgres = `Postgres ${version} (${durability ?? '**not durable**'})`;
  const intro = `${postgres}; pictures of ${shown(pictures.bytes / 1_024)} KiB.`;
  return { report: `${intro} ${reportOf(samples, peers, commits)}`, isDurable: durability !== null };
}

function rate({ saturated }: Loads): number {
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

function reportOf(samples: readonly Sample[], peers: readonly Loads[], commits: number): string {
  const alone50 = ({ alone }: Loads) => percentile(alone.latenciesMs, 50);
  const row = (title: string, of: readonly Loads[]) => {
    const cell = (value: (loads: Loads) => number) => overRounds(of.map(value), 1);
    return [
      title,
      cell(rate),
      ...[50, 99].map((at) => cell(({ saturated }) => percentile(saturated.latenciesMs, at))),
      ...[50, 99].map((at) => cell(({ alone }) => percentile(alone.latenciesMs, at))),
    ];
  };
  const toPeer = (of: (loads: Loads) => number) => median(samples.map(of)) / median(peers.map(of));
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
    `Other processes took at most ${percent(foreign)} of the cores. Medians over the rounds, in brackets the least and the most.`,
    table(
      [
        '',
        `creations/s, ${atOnce} at once`,
        'p50 ms',
        'p99 ms',
        'p50 ms, one at a time',
        'p99 ms, one at a time',
      ],
      [row('creations', samples), row(`the peer: ${commits} durable transactions in bare SQL`, peers)],
    ),
    `Beside the peer: ${toPeer(rate).toFixed(3)} × as many a second, ${toPeer(alone50).toFixed(1)} × as long alone.`,
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
