/** Measures the rate and cost of work that is started and then watched until it is done. */
import { setTimeout as pause } from 'node:timers/promises';
import { cpuMsOf } from './cpu.ts';
import { waitUntilIdle, watchForeignLoad } from './machine-load.ts';
import { percent, shown } from './markdown.ts';

/** The share of a turn until V8 has compiled hot code and connections are open. */
const usualWarmUp = 0.25;
const lookEveryMs = 20;
/** Without progress for this long, something is lost. */
const stalledMs = 30_000;

export type Sample = {
  readonly perSecond: number;
  /** Processor time of the working processes for each piece; 0 if they are not ours. */
  readonly cpuMicros: number;
  /** Including the stores that were started here and the measurement. */
  readonly cpuMicrosInAll: number;
  readonly foreignLoad: number;
};

/** All take turns within each round, so that a slow moment of the machine slows all. */
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
 * Starts on an idle machine and ends when `count` pieces are done.
 * @param o.begin returns the ids of the working processes, which must live until the end
 * @param o.done returns how many pieces are done
 */
export async function measureProgress(o: {
  readonly count: number;
  /** The share of the pieces that is done before the measurement begins. */
  readonly warmUp?: number | undefined;
  readonly begin: () => Promise<readonly number[]>;
  readonly done: () => Promise<number>;
}): Promise<Sample> {
  await waitUntilIdle();
  const foreignLoad = watchForeignLoad();
  const pids = await o.begin();
  const cpuMs = () => [pids.reduce((sum, pid) => sum + cpuMsOf(pid), 0), cpuMsOf(process.pid)];
  const first = await untilDone(o.done, o.count * (o.warmUp ?? usualWarmUp));
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
