/** The tables of the audience, a paragraph or two for each number of members. */
import { median, overRounds, percent, percentile, shown, table } from '../markdown.ts';
import type { Build } from './build.ts';
import type { Changes } from './changes.ts';
import type { Counts } from './counts.ts';
import type { Endpoint, EndpointSample } from './endpoint.ts';
import { changeNames, type PeerName, type WayName, wayNames } from './members/names.ts';
import type { Partitions } from './partitions.ts';
import type { Peer } from './peers/peers.ts';

export type Sized<T> = { readonly members: number; readonly measured: T };
export type CountsOfPeers = Counts & {
  readonly peers: readonly Pick<Peer, 'name' | 'loadSeconds' | 'bytes'>[];
};

/** At so many members, and what is asked for there. */
const AIMED_AT = 10_000_000;
const SMALL_AIMED_AT = 1_000_000;
const aims = {
  smallPostgisMedian: 90,
  smallPostgisTotal: 180,
  postgisMedian: 150,
  postgisTotal: 250,
  aloneMedianMs: 0.025,
  aloneP99Ms: 0.2,
  bytesAMember: 30,
  changeMicros: 5,
  snapshotSeconds: 15,
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
  return sizes
    .map(({ members: count, measured }) => {
      const { median: atMedian, total } = timesPostgis(measured);
      const verdicts = [
        verdict(atMedian, aims.smallPostgisMedian, '× PostGIS at the median'),
        verdict(total, aims.smallPostgisTotal, '× PostGIS in total'),
      ];
      return [
        ...countsTable({ members: count, measured }),
        ...(count === SMALL_AIMED_AT ? [`Aims: ${verdicts.join('; ')}.`] : []),
      ].join('\n\n');
    })
    .join('\n\n');
}

function countsOfSize({ members: count, measured }: Sized<CountsOfPeers>): string {
  const { peers, alone } = measured;
  const postgis = timesPostgis(measured);
  const bytes = peers.find(({ name }) => name === 'the index')?.bytes ?? Number.NaN;
  const verdicts = [
    verdict(postgis.median, aims.postgisMedian, '× PostGIS at the median'),
    verdict(postgis.total, aims.postgisTotal, '× PostGIS in total'),
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

/** How many times as long as the index PostGIS takes. */
function timesPostgis({ disturbed }: Counts): { readonly median: number; readonly total: number } {
  const [ours, postgis] = [disturbed.get('the index') ?? [], disturbed.get('PostGIS') ?? []];
  return { median: median(postgis) / median(ours), total: sum(postgis) / sum(ours) };
}

/** A paragraph and a table. */
function countsTable({ members: count, measured }: Sized<CountsOfPeers>): readonly string[] {
  const { peers, disturbed, alone, counted, rounds } = measured;
  const times = (name: PeerName) => disturbed.get(name) ?? [];
  const ours = times('the index');
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
      `${shown(ratio(times(name), median), name === 'the index' ? 0 : 1)} ×`,
      `${shown(ratio(times(name), total), name === 'the index' ? 0 : 1)} ×`,
      shown(bytes / count, 1),
      loadSeconds === undefined ? 'kept' : shown(loadSeconds),
    ]),
  );
  const aloneRow = ['the index, alone', ...figures(alone), '', '', '', ''];
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
        'to the index, median',
        'to the index, total',
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
    `the index alone takes ${shown(median(micros), 1)} µs for them, ${shown(percentile(micros, 99), 1)} µs at p99.`
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
    .map(({ members: count, measured: { took, bytesPerMember, foreignLoad } }) => {
      const micros = (name: (typeof changeNames)[number]) => (took.get(name) ?? []).map((ms) => ms * 1_000);
      const mean = (values: readonly number[]) => sum(values) / values.length;
      const slowest = Math.max(...changeNames.map((name) => mean(micros(name))));
      return [
        `${members(count)}. ${disturbance(foreignLoad)} Bytes a member: ${shown(bytesPerMember.before, 1)} packed, ` +
          `${shown(bytesPerMember.after, 1)} after the changes.`,
        table(
          ['µs', 'mean', 'median', 'p99'],
          changeNames.map((name) => {
            const values = micros(name);
            const cells = [mean(values), median(values), percentile(values, 99)].map((us) => shown(us, 2));
            return ([name] as string[]).concat(cells);
          }),
        ),
        ...(count === AIMED_AT
          ? [`Aim: ${limit(slowest, aims.changeMicros, 'µs for the slowest kind on average')}.`]
          : []),
      ].join('\n\n');
    })
    .join('\n\n');
}

export function buildReport(sizes: readonly Sized<Build>[]): string {
  const seconds = (of: (build: Build) => number) => sizes.map(({ measured }) => shown(of(measured), 1));
  const mib = (of: (build: Build) => number) => sizes.map(({ measured }) => shown(of(measured) / 2 ** 20));
  const large = sizes.find(({ members: count }) => count === AIMED_AT)?.measured;
  return [
    disturbance(Math.max(...sizes.map(({ measured }) => measured.foreignLoad))),
    table(
      ['', ...sizes.map(({ members: count }) => `${shown(count)} members`)],
      [
        ['the index out of columns in memory, s', ...seconds((build) => build.fromColumnsSeconds)],
        ['its bytes taken, s', ...seconds((build) => build.saveSeconds)],
        ['the index out of its bytes, s', ...seconds((build) => build.loadSeconds)],
        [
          'pricing from its start until it counts, from MongoDB, s',
          ...seconds((build) => build.fromMongoSeconds),
        ],
        ['the same from its snapshot, s', ...seconds((build) => build.fromSnapshotSeconds)],
        ['the snapshot, MiB', ...mib((build) => build.snapshotBytes)],
        ["pricing's process then, MiB", ...mib((build) => build.residentBytes)],
      ],
    ),
    ...(large === undefined
      ? []
      : [`Aim: ${limit(large.fromSnapshotSeconds, aims.snapshotSeconds, 's from the snapshot')}.`]),
  ].join('\n\n');
}

export function endpointReport(sizes: readonly Sized<Endpoint>[]): string {
  return sizes.map(endpointOfSize).join('\n\n');
}

function endpointOfSize({ members: count, measured }: Sized<Endpoint>): string {
  const { samples, countingShare, connections, foreignLoad } = measured;
  const cell = (way: WayName, of: (sample: EndpointSample) => number, digits: number) =>
    overRounds((samples.get(way) ?? []).map(of), digits);
  const middle = (way: WayName, of: (sample: EndpointSample) => number) =>
    median((samples.get(way) ?? []).map(of));
  const counting = countingShare * middle('pricing alone', ({ cpuMicros }) => cpuMicros);
  const ofBoth = counting / middle('through gateway and pricing', ({ cpuMicros }) => cpuMicros);
  return [
    `${members(count)}. ${connections} connections that are kept alive. ${disturbance(foreignLoad)}`,
    table(
      ['', 'estimates/s', 'p50 ms', 'p99 ms', 'CPU µs of the services'],
      wayNames.map((way) => [
        way,
        cell(way, ({ perSecond }) => perSecond, 0),
        cell(way, ({ p50Ms }) => p50Ms, 2),
        cell(way, ({ p99Ms }) => p99Ms, 2),
        cell(way, ({ cpuMicros }) => cpuMicros, 0),
      ]),
    ),
    `Counting is ${percent(countingShare)} of pricing's processor time, ${shown(counting)} µs of an estimate, and ` +
      `${percent(ofBoth)} of that of gateway and pricing together.`,
  ].join('\n\n');
}

export function partitionsReport(sizes: readonly Sized<Partitions>[]): string {
  return sizes.map(partitionsOfSize).join('\n\n');
}

function partitionsOfSize({ members: count, measured }: Sized<Partitions>): string {
  const { partitions, asked, alone, together, foreignLoad } = measured;
  const least = (of: (partition: Partitions['partitions'][number]) => number, digits = 0) =>
    shown(Math.min(...partitions.map(of)), digits);
  const most = (of: (partition: Partitions['partitions'][number]) => number, digits = 0) =>
    shown(Math.max(...partitions.map(of)), digits);
  const micros = (values: readonly number[]) => [
    shown(median(values) * 1_000),
    shown(percentile(values, 99) * 1_000),
  ];
  const mib = (bytes: number) => bytes / 2 ** 20;
  return [
    `${members(count)} in ${partitions.length} processes. ${disturbance(foreignLoad)}`,
    table(
      ['of one partition', 'least', 'most'],
      [
        ['members', least((one) => one.members), most((one) => one.members)],
        [
          'index, bytes a member',
          least((one) => one.bytes / one.members, 1),
          most((one) => one.bytes / one.members, 1),
        ],
        ['built in, s, all at once', least((one) => one.buildSeconds, 1), most((one) => one.buildSeconds, 1)],
        ['process, MiB', least((one) => mib(one.residentBytes)), most((one) => mib(one.residentBytes))],
        [
          'process while it was built, MiB',
          least((one) => mib(one.mostBytes)),
          most((one) => mib(one.mostBytes)),
        ],
      ],
    ),
    table(
      ['a count, one after the other', 'median µs', 'p99 µs'],
      [
        ['one index with all members, in the process that asks', ...micros(alone)],
        ['all partitions, over HTTP', ...micros(asked)],
        [
          'ratio',
          shown(median(asked) / median(alone), 1),
          shown(percentile(asked, 99) / percentile(alone, 99), 1),
        ],
      ],
    ),
    `With 64 counts under way at once: ${shown(together.perSecond)} a second; ${shown(together.askingCpuMicros)} µs of processor time ` +
      `of the process that asks, and ${shown(together.partitionCpuMicros)} µs of each partition, for each count.`,
  ].join('\n\n');
}
