/** The tables of moderation: how many pictures, how long each takes, and what memory they leave behind. */
import { median, overRounds, percent, shown, table } from '../markdown.ts';
import { AT_ONCE, type Memory, type Run } from './measure.ts';
import { peers } from './service.ts';

/** What 2,000 pictures may add to the memory after 500: noise of the allocator, and no leak. */
const flatShare = 0.1;

export function moderationReport(run: Run): string {
  const all = [...run.samples.values()].flat();
  const rounds = run.samples.get(peers[0])?.length ?? 0;
  const disturbed = Math.max(...all.map(({ foreignLoad }) => foreignLoad));
  return [
    `A JPEG of 1080 x 1080 (${shown(run.pictureBytes / 1_000)} KB), ${AT_ONCE} at once over HTTP, none known before. ` +
      `${rounds} ${rounds === 1 ? 'round' : 'rounds'}; medians, in brackets the least and the most. ` +
      `Other processes took at most ${percent(disturbed)} of the cores.`,
    speeds(run),
    ratio(run),
    memory(run.memory),
  ].join('\n\n');
}

function speeds(run: Run): string {
  const rows = peers.map((peer) => {
    const samples = run.samples.get(peer) ?? [];
    const cell = (of: (sample: (typeof samples)[number]) => number, digits: number) =>
      overRounds(samples.map(of), digits);
    return [
      peer,
      cell(({ perSecond }) => perSecond, 1),
      cell(({ p50Ms }) => p50Ms, 0),
      cell(({ p99Ms }) => p99Ms, 0),
      cell(({ cpuMs }) => cpuMs, 0),
    ];
  });
  return table(['the model on', 'pictures/s', 'p50 ms', 'p99 ms', 'CPU ms a picture'], rows);
}

function ratio(run: Run): string {
  const [ours = 0, plain = 0] = peers.map((peer) =>
    median((run.samples.get(peer) ?? []).map(({ perSecond }) => perSecond)),
  );
  return `${shown(ours / plain, 1)} times as many pictures as on the plain CPU backend.`;
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
