/** Waits until the machine is idle, and measures the load of other processes. */
import { availableParallelism } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { cpuMsOf, machineBusyMs } from './cpu.ts';

const quietShare = 0.1;
const quietWithinMs = 8_000;
const lookEveryMs = 250;
/** Nothing is measured then, so nothing is waited for. */
const isQuick = process.argv.includes('--quick');

/** Waits for the end of background work such as a checkpoint or a garbage collection; at most eight seconds. */
export async function waitUntilIdle(): Promise<void> {
  if (isQuick) return;
  const giveUpAt = performance.now() + quietWithinMs;
  for (let busy = 1; busy > quietShare && performance.now() < giveUpAt; ) {
    const before = machineBusyMs();
    const began = performance.now();
    await pause(lookEveryMs);
    busy = (machineBusyMs() - before) / (performance.now() - began) / availableParallelism();
  }
}

/** Load of processes that are not ours. Ours are all child processes, including stores and load generators. */
export function watchForeignLoad(): () => number {
  const foreignMs = () => machineBusyMs() - cpuMsOf(process.pid);
  const before = foreignMs();
  const began = performance.now();
  return () => Math.max(0, (foreignMs() - before) / (performance.now() - began) / availableParallelism());
}
