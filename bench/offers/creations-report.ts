/** What the run of creations says: figures, what one creation costs and where, and what bounds it. */
import { median, overRounds, percent, percentile, shown, table } from '../markdown.ts';
import { atOnce, type CreationSample, type Creations } from './creations.ts';
import type { Moderation } from './system.ts';

const variants: readonly Moderation[] = ['the model', 'a stand-in'];

/** Programs of the stores under the names that people know them by. */
const programs: Readonly<Record<string, string>> = {
  postgres: 'Postgres',
  mongod: 'MongoDB',
  'beam.smp': 'RabbitMQ',
  'valkey-server': 'Valkey',
  'redis-server': 'Valkey',
};

export function creationsReport(run: Creations): string {
  const of = (moderation: Moderation) => run.samples.filter((sample) => sample.moderation === moderation);
  const foreign = Math.max(...run.samples.map(({ foreignLoad }) => foreignLoad));
  return [
    `Postgres ${run.postgres} (${run.durability ?? '**not durable**'}); pictures of ${shown(run.pictureBytes / 1_024)} KiB. ` +
      `8 KiB made durable on this disk: ${shown(percentile(run.diskSyncMs, 50), 2)} ms at the median, ` +
      `${shown(percentile(run.diskSyncMs, 99), 2)} ms at p99. Other processes took at most ${percent(foreign)} of the cores. ` +
      'Medians over the rounds, in brackets the least and the most.',
    speeds(run, of),
    costs(of),
    transactions(of),
    variants.map((moderation) => whatBounds(run, moderation, of(moderation))).join('\n'),
  ].join('\n\n');
}

type Of = (moderation: Moderation) => readonly CreationSample[];
type Timed = Pick<CreationSample, 'saturated' | 'alone'>;

const titles: Record<Moderation, string> = {
  'the model': 'moderation on',
  'a stand-in': 'moderation off (a stand-in allows at once)',
};

function speeds(run: Creations, of: Of): string {
  const row = (title: string, samples: readonly Timed[]) => [
    title,
    overRounds(samples.map(rate), 1),
    ...[50, 99].map((at) =>
      overRounds(
        samples.map(({ saturated }) => percentile(saturated.latenciesMs, at)),
        1,
      ),
    ),
    ...[50, 99].map((at) =>
      overRounds(
        samples.map(({ alone }) => percentile(alone.latenciesMs, at)),
        1,
      ),
    ),
  ];
  const bare = median(run.peers.map(rate));
  const bareAlone = median(run.peers.map(({ alone }) => percentile(alone.latenciesMs, 50)));
  const ratios = variants.map((moderation) => {
    const share = median(of(moderation).map(rate)) / bare;
    const times = median(of(moderation).map(({ alone }) => percentile(alone.latenciesMs, 50))) / bareAlone;
    return `${titles[moderation]} ${share.toFixed(3)} × as many a second, ${times.toFixed(1)} × as long alone`;
  });
  return [
    table(
      [
        '',
        `creations/s, ${atOnce} at once`,
        'p50 ms',
        'p99 ms',
        'p50 ms, one at a time',
        'p99 ms, one at a time',
      ],
      [
        ...variants.map((moderation) => row(titles[moderation], of(moderation))),
        row(`the peer: ${run.writes} durable transactions in bare SQL`, run.peers),
      ],
    ),
    `Beside the peer: ${ratios.join('; ')}.`,
  ].join('\n\n');
}

function costs(of: Of): string {
  const names = new Set(variants.flatMap(of).flatMap(({ cpuMs }) => Array.from(cpuMs.keys())));
  const all = Array.from(names, (name) => ({
    title: programs[name] ?? name,
    ms: variants.map((moderation) => median(of(moderation).map(({ cpuMs }) => cpuMs.get(name) ?? 0))),
  }));
  const large = all
    .filter(({ ms }) => Math.max(...ms) >= 0.05)
    .toSorted((a, b) => Math.max(...b.ms) - Math.max(...a.ms));
  const sums = variants.map((_, index) => all.reduce((sum, { ms }) => sum + (ms[index] ?? 0), 0));
  return table(
    ['processor time of one creation, ms', ...variants.map((moderation) => titles[moderation])],
    [
      ...large.map(({ title, ms }) => [title].concat(ms.map((value) => shown(value, 2)))),
      ['together'].concat(sums.map((value) => shown(value, 1))),
      ['cores busy'].concat(
        variants.map((moderation) => percent(median(of(moderation).map(({ busy }) => busy)))),
      ),
    ],
  );
}

function transactions(of: Of): string {
  const row = (title: string, digits: number, value: (sample: CreationSample) => number) =>
    [title].concat(variants.map((moderation) => shown(median(of(moderation).map(value)), digits)));
  const commits = (name: string) => (sample: CreationSample) =>
    [...sample.commits].reduce(
      (sum, [database, count]) => sum + (database.endsWith(`_${name}`) ? count : 0),
      0,
    );
  return table(
    ['one creation in Postgres', ...variants.map((moderation) => titles[moderation])],
    [
      row('durable transactions', 1, ({ writes }) => writes),
      row('syncs of the log (transactions that end together share one)', 1, ({ walSyncs }) => walSyncs),
      row('ms a sync', 2, ({ walSyncMs }) => walSyncMs),
      row('KiB of log', 1, ({ walBytes }) => walBytes / 1_024),
      ...['offers', 'billing', 'gateway'].map((name) =>
        row(`commits in ${name}, reading ones too`, 1, commits(name)),
      ),
    ],
  );
}

/** From this share of all cores on, there is nothing left to be faster with. */
const fullyBusy = 0.85;

function whatBounds(run: Creations, moderation: Moderation, samples: readonly CreationSample[]): string {
  const busy = median(samples.map((sample) => sample.busy));
  const largest = [...largestOf(samples)]
    .slice(0, 3)
    .map(([name, share]) => `${programs[name] ?? name} ${percent(share)}`);
  const alone = median(samples.map((sample) => percentile(sample.alone.latenciesMs, 50)));
  const bareAlone = median(run.peers.map((peer) => percentile(peer.alone.latenciesMs, 50)));
  const bound =
    busy >= fullyBusy
      ? `the processor (${percent(busy)} of the cores busy)`
      : `waiting, not the processor (${percent(busy)} of the cores busy)`;
  const syncing = median(
    samples.map((sample) => (sample.walSyncs * sample.walSyncMs * rate(sample)) / 1_000),
  );
  return (
    `- With ${titles[moderation]}, what bounds creations is ${bound}: of the time on it ${largest.join(', ')}. The log of Postgres was ` +
    `being synced ${percent(syncing)} of the time. Of a creation alone, its commits take ${percent(bareAlone / alone)} ` +
    `(${shown(bareAlone, 1)} ms in bare SQL).`
  );
}

function largestOf(samples: readonly CreationSample[]): [string, number][] {
  const sums = new Map<string, number>();
  for (const { cpuMs } of samples) {
    for (const [name, ms] of cpuMs) sums.set(name, (sums.get(name) ?? 0) + ms);
  }
  const all = [...sums.values()].reduce((sum, ms) => sum + ms, 0);
  return [...sums].map(([name, ms]): [string, number] => [name, ms / all]).toSorted(([, a], [, b]) => b - a);
}

function rate({ saturated }: Timed): number {
  return saturated.done / saturated.seconds;
}
