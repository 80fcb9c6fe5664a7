/**
 * A worker thread that signals when the next request is due. Node's timers have whole milliseconds. This thread blocks on a
 * futex, which wakes it within about 60 microseconds and uses no processor time while it waits.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { nowUs } from './steady-clock.ts';

const { startUs, intervalUs, total } = workerData as { startUs: number; intervalUs: number; total: number };
const nobodyWakes = new Int32Array(new SharedArrayBuffer(4));

for (let index = 0; index < total; index += 1) {
  const waitMs = (startUs + index * intervalUs - nowUs()) / 1_000;
  if (waitMs > 0) Atomics.wait(nobodyWakes, 0, 0, waitMs);
  parentPort?.postMessage(null);
}
