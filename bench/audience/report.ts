/** The tables of the audience, a paragraph or two for each number of members. */
import { median, percent, percentile, shown, table } from '../markdown.ts';
import type { Build } from './build.ts';
import type { Changes } from './changes.ts';
import type { Counts } from './counts.ts';
import { changeNames, type PeerName } from './members/names.ts';
import type { Peer } from './peers/peers.ts';

export type Sized<T> = { readonly members: number; readonly measured: T };
export type CountsOfPeers = Counts & {
  readonly peers: readonly Pick<Peer, 'name' | 'loadSeconds' | 'bytes'>[];
};

/** At so many members, and what is asked for there. */
const AIMED_AT = 10_000_000;
const aims = {
  postgisMedian: 120,
  aloneMedianMs: 0.032,
  aloneP99Ms: 0.157,
  bytesAMember: 28,
  buildSeconds: 10,
  delayMs: 5,
  startSeconds: 60,
};
const { ceil } = Math;
const mark = (met: boolean) => (met ? '✓' : '✗');
const members = (count: number) => `**${shown(count)} members**`;
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const disturbance = (share: number) => `Other processes took ${percent(share)} of the cores.`;

export function countsReport(sizes: readonly Sized<CountsOfPeers>[]): string {
  return sizes.map(countsOfSize).join('\n\n');
}

export function smallCountsReport(sizes: readonly Sized<CountsOfPeers>[]): string {
  return sizes.map((size) => countsTable(size).join('\n\n')).join('\n\n');
}

function countsOfSize({ members: count, measured }: Sized<CountsOfPeers>): string {
  const { peers, alone } = measured;
  const bytes = peers.find(({ name }) => name === 'the grid')?.bytes ?? Number.NaN;
  const verdicts = [
    verdict(timesPostgis(measured), aims.postgisMedian, '× PostGIS at the median'),
    limit(median(alone) * 1_000, aims.aloneMedianMs * 1_000, 'µs at the median, alone'),
    limit(percentile(alone, 99) * 1_000, aims.aloneP99Ms * 1_000, 'µs at p99, alone'),
    limit(bytes / count, aims.bytesAMember, 'bytes a member'),
  ];
  return [
    ...countsTable({ members: count, measured }),
    lighterHalf(measured),
    ...(count === AIMED_AT ? [`Aims: ${verdicts.join('; ')}.`] : []),
  ].join('\n\n');
}

/** How many times as long as the grid PostGIS takes, at the median. */
function timesPostgis({ disturbed }: Counts): number {
  return median(disturbed.get('PostGIS') ?? []) / median(disturbed.get('the grid') ?? []);
}

/** A paragraph and a table. */
function countsTable({ members: count, measured }: Sized<CountsOfPeers>): readonly string[] {
  const { peers, disturbed, alone, counted, rounds } = measured;
  const times = (name: PeerName) => disturbed.get(name) ?? [];
  const ours = times('the grid');
  const total = (values: readonly number[]) => sum(values) / (values.length / counted.length);
  const ratio = (values: readonly number[], of: (values: readonly number[]) => number) =>
    of(values) / of(ours);
  const figures = (values: readonly number[]) => [
    shown(median(values), 3),
    shown(percentile(values, 99), 3),
    shown(total(values), 1),
  ];
  const rows = peers.map(({ name, bytes, loadSeconds }) =>
    ([name] as string[]).concat(figures(times(name)), [
      `${shown(ratio(times(name), median), name === 'the grid' ? 0 : 1)} ×`,
      `${shown(ratio(times(name), total), name === 'the grid' ? 0 : 1)} ×`,
      shown(bytes / count, 1),
      loadSeconds === undefined ? 'kept' : shown(loadSeconds),
    ]),
  );
  const aloneRow = ['the grid, alone', ...figures(alone), '', '', '', ''];
  return [
    `${members(count)}. ${rounds} ${rounds === 1 ? 'round' : 'rounds'} of ${counted.length} queries, which reach ` +
      `${shown(median(counted))} members at the median and ${shown(Math.max(...counted))} at most; all counts equal` +
      (measured.tooMany === 0
        ? '. '
        : `, but that MongoDB counts ${measured.tooMany} too many, who are less than 1.5 cm outside, in ${measured.queriesWithMore} queries. `) +
      disturbance(measured.foreignLoad),
    table(
      [
        '',
        'median ms',
        'p99 ms',
        'total ms',
        'to the grid, median',
        'to the grid, total',
        'bytes a member',
        'load s',
      ],
      [...rows, aloneRow],
    ),
  ];
}

/** Most circles of a real day hold fewer people than half of these: the queries that PostGIS answers soonest, by themselves. */
function lighterHalf({ disturbed, alone, counted }: CountsOfPeers): string {
  const ofQuery = (values: readonly number[], query: number) =>
    median(values.filter((_, at) => at % counted.length === query));
  const postgis = counted.map((_, query) => ofQuery(disturbed.get('PostGIS') ?? [], query));
  const lighter = counted
    .map((_, query) => query)
    .toSorted((a, b) => (postgis[a] ?? 0) - (postgis[b] ?? 0))
    .slice(0, ceil(counted.length / 2));
  const ofThem = (values: readonly number[]) =>
    values.filter((_, at) => lighter.includes(at % counted.length));
  const micros = ofThem(alone).map((ms) => ms * 1_000);
  return (
    `The ${lighter.length} queries that PostGIS answers soonest take it ${shown(median(lighter.map((query) => postgis[query] ?? 0)), 1)} ms at the median; ` +
    `the grid alone takes ${shown(median(micros), 1)} µs for them, ${shown(percentile(micros, 99), 1)} µs at p99.`
  );
}

function verdict(value: number, least: number, what: string): string {
  return `${shown(value)} ${what}, at least ${least} ${mark(value >= least)}`;
}

function limit(value: number, most: number, what: string): string {
  return `${shown(value, 1)} ${what}, at most ${most} ${mark(value <= most)}`;
}

export function changesReport(sizes: readonly Sized<Changes>[]): string {
  return sizes
    .map(({ members: count, measured }) => {
      const { took, counts, changesBeside, whileBuilding, foreignLoad } = measured;
      const micros = (values: readonly number[]) => values.map((ms) => ms * 1_000);
      const figures = (values: readonly number[]) =>
        [sum(values) / values.length, median(values), percentile(values, 99)].map((us) => shown(us, 2));
      const { seconds, changes, delayMs } = whileBuilding;
      return [
        `${members(count)}. ${disturbance(foreignLoad)}`,
        table(
          ['µs', 'mean', 'median', 'p99'],
          [
            ...changeNames.map((name) => ([name] as string[]).concat(figures(micros(took.get(name) ?? [])))),
            [`a count, with ${shown(changesBeside)} changes beside the grid`, ...figures(micros(counts))],
          ],
        ),
        `The next grid took a thread ${shown(seconds, 1)} s, while ${shown(changes)} changes arrived; ` +
          `the event loop was late by ${shown(delayMs.p99, 1)} ms at p99, ${shown(delayMs.most, 1)} ms at most.`,
        ...(count === AIMED_AT ? [`Aim: ${limit(delayMs.most, aims.delayMs, 'ms late at most')}.`] : []),
      ].join('\n\n');
    })
    .join('\n\n');
}

export function buildReport(sizes: readonly Sized<Build>[]): string {
  const row = (name: string, of: (build: Build) => number, digits = 1) => [
    name,
    ...sizes.map(({ measured }) => shown(of(measured), digits)),
  ];
  const large = sizes.find(({ members: count }) => count === AIMED_AT)?.measured;
  return [
    disturbance(Math.max(...sizes.map(({ measured }) => measured.foreignLoad))),
    table(
      ['', ...sizes.map(({ members: count }) => `${shown(count)} members`)],
      [
        row('a grid out of columns in memory, s', (build) => build.fromColumnsSeconds),
        row('the next grid out of the one before, s', (build) => build.fromOlderSeconds),
        row('bytes a member, with ids', (build) => build.bytesPerMember),
        row('pricing from its start until it counts, from MongoDB, s', (build) => build.fromMongoSeconds),
        row("pricing's process then, MiB", (build) => build.residentBytes.now / 2 ** 20, 0),
        row('at most until then, MiB', (build) => build.residentBytes.most / 2 ** 20, 0),
      ],
    ),
    ...(large === undefined
      ? []
      : [
          `Aims: ${limit(large.fromColumnsSeconds, aims.buildSeconds, 's out of columns')}; ` +
            `${limit(large.fromMongoSeconds, aims.startSeconds, 's from MongoDB')}.`,
        ]),
  ].join('\n\n');
}
