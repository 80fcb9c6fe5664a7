/**
 * A worker thread that says when the next request is due. Node's timers wake by whole milliseconds; this one blocks its
 * own thread on a futex, which wakes within some 60 microseconds and burns no core in between.
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
