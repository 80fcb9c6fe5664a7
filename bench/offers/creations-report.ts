/** What the run of creations says: figures, and what one creation costs and where. */
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
      `Other processes took at most ${percent(foreign)} of the cores. ` +
      'Medians over the rounds, in brackets the least and the most.',
    speeds(run, of),
    costs(of),
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

function rate({ saturated }: Timed): number {
  return saturated.done / saturated.seconds;
}
