/** A thread of a test: counts requests of one client, in windows that begin for all threads at the same moment. */
import { parentPort, workerData } from 'node:worker_threads';
import { type WindowsMemory, windowsOf } from '../../src/counting/client-windows.ts';
import { limitState } from '../../src/domain/limits/fixed-window.ts';
import { countHere } from '../../src/domain/limits/known-count.ts';

const { memory, go, threads, windows, requests } = workerData as {
  memory: WindowsMemory;
  /** How many threads have arrived at the beginnings of windows so far. */
  go: Int32Array<SharedArrayBuffer>;
  threads: number;
  windows: number;
  requests: number;
};
const limit = { name: 'test', requests: 60, windowSeconds: 1 };
const counts = windowsOf(memory, 'test');
const allowed = Array.from({ length: windows }, (_, window) => {
  Atomics.add(go, 0, 1);
  while (Atomics.load(go, 0) < threads * (window + 1));
  const nowMs = 1 + 1_000 * window;
  let within = 0;
  for (let request = 0; request < requests; request += 1) {
    const counted = counts.change('client', nowMs, (known) => countHere(known, limit, { nowMs, owes: 0 }));
    if (limitState(counted, limit, nowMs).allowed) within += 1;
  }
  return within;
});
parentPort?.postMessage(allowed);
