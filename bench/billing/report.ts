/** The tables of billing: how many charges, how near to pgbench, what each costs; how many webhooks. */
import { median, overRounds, percent, shown, table } from '../markdown.ts';
import { AT_ONCE } from './charging.ts';
import { type Run, type Sample, type Spread, spreads, type Way, ways } from './measure.ts';

/** Of the faster of pgbench's two. */
const AIM = 0.9;

export function billingReport(run: Run): string {
  const all = [...run.samples.values()].flatMap((byWay) => [...byWay.values()].flat());
  const disturbed = Math.max(
    ...[...all, ...run.webhooks, ...run.relaying].map(({ foreignLoad }) => foreignLoad),
  );
  const rounds = run.webhooks.length;
  return [
    `Postgres ${run.postgres} (${run.durability ?? '**not durable**'}), pgbench ${run.pgbench}. ` +
      `${rounds} ${rounds === 1 ? 'round' : 'rounds'}, ${AT_ONCE} at once; medians, in brackets the least and the most. ` +
      `Other processes took at most ${percent(disturbed)} of the cores.`,
    speeds(run),
    spreads.map((spread) => verdict(run, spread)).join('\n'),
    costs(run),
    intake(run),
    relaying(run),
  ].join('\n\n');
}

function samplesOf(run: Run, spread: Spread, way: Way): readonly Sample[] {
  return run.samples.get(spread)?.get(way) ?? [];
}

function rate(run: Run, spread: Spread, way: Way): number {
  return median(samplesOf(run, spread, way).map(({ perSecond }) => perSecond));
}

function speeds(run: Run): string {
  const rows = ways.map((way) => [
    way,
    ...spreads.map((spread) =>
      overRounds(
        samplesOf(run, spread, way).map(({ perSecond }) => perSecond),
        0,
      ),
    ),
  ]);
  return table(['charges/s', ...spreads], rows);
}

function verdict(run: Run, spread: Spread): string {
  const peer = Math.max(
    rate(run, spread, 'pgbench, the same statements'),
    rate(run, spread, 'pgbench, plain SQL'),
  );
  const share = (way: Way) => rate(run, spread, way) / peer;
  const ours = share("billing's function");
  return (
    `- ${spread}: billing's function ${percent(ours)} of the faster pgbench, aim: at least ${percent(AIM)} ` +
    `${ours >= AIM ? '✓' : '✗'}; over HTTP ${percent(share('over HTTP'))}.`
  );
}

function costs(run: Run): string {
  const rows = spreads.flatMap((spread) =>
    ways.map((way) => {
      const samples = samplesOf(run, spread, way);
      const middle = (of: (sample: Sample) => number) => median(samples.map(of));
      return [
        `${way}, ${spread}`,
        shown(middle(({ cpuMicros }) => cpuMicros)),
        shown(middle(({ nodeCpuMicros }) => nodeCpuMicros)),
        shown(
          middle(({ walSyncs }) => walSyncs),
          2,
        ),
        shown(middle(({ walBytes }) => walBytes)),
      ];
    }),
  );
  return [
    `What a charge costs. Billing's is ${run.roundTrips} round trips, beginning and commit included.`,
    table(['', 'CPU µs, all', 'CPU µs, Node', 'syncs of the WAL', 'WAL bytes'], rows),
  ].join('\n\n');
}

function intake({ webhooks }: Run): string {
  const cell = (of: (one: Run['webhooks'][number]) => number, digits: number) =>
    overRounds(webhooks.map(of), digits);
  return table(
    ['webhooks of payments', 'a second', 'p50 ms', 'p99 ms'],
    [
      [
        `${AT_ONCE} at once`,
        cell((one) => one.perSecond, 0),
        cell((one) => one.p50Ms, 1),
        cell((one) => one.p99Ms, 1),
      ],
      [
        'one at a time',
        cell((one) => 1_000 / one.aloneP50Ms, 0),
        cell((one) => one.aloneP50Ms, 1),
        cell((one) => one.aloneP99Ms, 1),
      ],
    ],
  );
}

function relaying({ relaying: rounds }: Run): string {
  const cell = (of: (one: Run['relaying'][number]) => number, digits: number) =>
    overRounds(rounds.map(of), digits);
  return table(
    ['the relay of the outbox', 'events/s', 'CPU µs, Node', 'one alone, p50 ms', 'p99 ms'],
    [
      [
        'one replica',
        cell((one) => one.perSecond, 0),
        cell((one) => one.nodeCpuMicros, 0),
        cell((one) => one.idleP50Ms, 1),
        cell((one) => one.idleP99Ms, 1),
      ],
    ],
  );
}
