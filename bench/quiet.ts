/** What else the machine does: waited for, and told beside the figures. */
import { availableParallelism } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { cpuMsOf, machineBusyMs } from './cpu.ts';

const quietShare = 0.1;
const quietWithinMs = 8_000;
const lookEveryMs = 250;

/** Until a batch of log lines, a checkpoint or a collection is over; on a machine that others use, for a while. */
export async function untilQuiet(): Promise<void> {
  const giveUpAt = performance.now() + quietWithinMs;
  for (let busy = 1; busy > quietShare && performance.now() < giveUpAt; ) {
    const before = machineBusyMs();
    const began = performance.now();
    await pause(lookEveryMs);
    busy = (machineBusyMs() - before) / (performance.now() - began) / availableParallelism();
  }
}

/** Our own tree holds all that we started, stores and generators too. */
export function watchForeignLoad(): () => number {
  const foreignMs = () => machineBusyMs() - cpuMsOf(process.pid);
  const before = foreignMs();
  const began = performance.now();
  return () => Math.max(0, (foreignMs() - before) / (performance.now() - began) / availableParallelism());
}
