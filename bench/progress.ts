/** Work that is begun and then watched until all of it is done: how fast it goes, and what it costs. */
import { setTimeout as pause } from 'node:timers/promises';
import { cpuMsOf } from './cpu.ts';
import { waitUntilIdle, watchForeignLoad } from './machine-load.ts';
import { percent, shown } from './markdown.ts';

/** Of a turn: until V8 has compiled what is hot, and the first connections are used. */
const warmUp = 0.25;
const lookEveryMs = 20;
/** What stands still this long has lost something. */
const stalledMs = 30_000;

export type Sample = {
  readonly perSecond: number;
  /** Of the processes at work, for each piece; 0 where they are not our own. */
  readonly cpuMicros: number;
  /** With the stores that were started here and the measuring. */
  readonly cpuMicrosInAll: number;
  readonly foreignLoad: number;
};

/** By turns within each round, so that what slows the machine down slows all. */
export async function measureByTurns<Turn extends { readonly title: string }>(
  turns: readonly Turn[],
  o: { readonly rounds: number; readonly report: (line: string) => void },
  measure: (turn: Turn, round: number) => Promise<Sample>,
): Promise<ReadonlyMap<Turn, readonly Sample[]>> {
  const samples = new Map<Turn, Sample[]>(turns.map((turn) => [turn, []]));
  const width = Math.max(...turns.map(({ title }) => title.length));
  for (let round = 1; round <= o.rounds; round += 1) {
    for (const [turn, taken] of samples) {
      const sample = await measure(turn, round);
      taken.push(sample);
      const rate = `${shown(sample.perSecond)}/s`.padStart(9);
      o.report(`round ${round} ${turn.title.padEnd(width)} ${rate}  others ${percent(sample.foreignLoad)}`);
    }
  }
  return samples;
}

/**
 * From a quiet machine on until so many are done.
 * @param o.begin gives the ids of the processes at work; those end after this has looked at them
 * @param o.done how many are done by now
 */
export async function measureProgress(o: {
  readonly count: number;
  readonly begin: () => Promise<readonly number[]>;
  readonly done: () => Promise<number>;
}): Promise<Sample> {
  await waitUntilIdle();
  const foreignLoad = watchForeignLoad();
  const pids = await o.begin();
  const cpuMs = () => [pids.reduce((sum, pid) => sum + cpuMsOf(pid), 0), cpuMsOf(process.pid)];
  const first = await untilDone(o.done, o.count * warmUp);
  const before = cpuMs();
  const last = await untilDone(o.done, o.count);
  const [cpuMicros = 0, cpuMicrosInAll = 0] = cpuMs().map(
    (ms, index) => ((ms - (before[index] ?? 0)) * 1_000) / (last.done - first.done),
  );
  const perSecond = ((last.done - first.done) * 1_000) / (last.atMs - first.atMs);
  return { perSecond, cpuMicros, cpuMicrosInAll, foreignLoad: foreignLoad() };
}

type Progress = { readonly done: number; readonly atMs: number };

async function untilDone(done: () => Promise<number>, count: number): Promise<Progress> {
  let last: Progress = { done: -1, atMs: performance.now() };
  for (;;) {
    const now = { done: await done(), atMs: performance.now() };
    if (now.done >= count) return now;
    if (now.done > last.done) last = now;
    if (now.atMs - last.atMs > stalledMs) throw new Error(`${now.done} are done, and no more for a while`);
    await pause(lookEveryMs);
  }
}
