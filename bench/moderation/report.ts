/** The tables of moderation: how many pictures, how long each takes, and what memory they leave behind. */
import { overRounds, percent, shown, table } from '../markdown.ts';
import { AT_ONCE, type Memory, type Run } from './measure.ts';

/** What 2,000 pictures may add to the memory after 500: noise of the allocator, and no leak. */
const flatShare = 0.1;

export function moderationReport(run: Run): string {
  const rounds = run.samples.length;
  const disturbed = Math.max(...run.samples.map(({ foreignLoad }) => foreignLoad));
  return [
    `A JPEG of 1080 x 1080 (${shown(run.pictureBytes / 1_000)} KB), ${AT_ONCE} at once over HTTP, none known before. ` +
      `${rounds} ${rounds === 1 ? 'round' : 'rounds'}; medians, in brackets the least and the most. ` +
      `Other processes took at most ${percent(disturbed)} of the cores.`,
    speeds(run),
    memory(run.memory),
  ].join('\n\n');
}

function speeds({ samples }: Run): string {
  const cell = (of: (sample: Run['samples'][number]) => number, digits: number) =>
    overRounds(samples.map(of), digits);
  return table(
    ['pictures/s', 'p50 ms', 'p99 ms', 'CPU ms a picture'],
    [
      [
        cell(({ perSecond }) => perSecond, 1),
        cell(({ p50Ms }) => p50Ms, 0),
        cell(({ p99Ms }) => p99Ms, 0),
        cell(({ cpuMs }) => cpuMs, 0),
      ],
    ],
  );
}

function memory(samples: readonly Memory[]): string {
  const megabytes = samples.map(({ rssBytes }) => rssBytes / 1e6);
  const [first = 0, ...later] = megabytes;
  const growth = Math.max(0, ...later) / first - 1;
  return [
    table(
      ['pictures judged', ...samples.map(({ pictures }) => shown(pictures))],
      [['memory, MB', ...megabytes.map((value) => shown(value))]],
    ),
    `At most ${percent(Math.max(0, growth))} above the first, aim: at most ${percent(flatShare)} ${growth <= flatShare ? '✓' : '✗'}.`,
  ].join('\n\n');
}
