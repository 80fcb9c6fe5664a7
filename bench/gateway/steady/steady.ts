/** Runs the open loop in a process of its own. */
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { output } from '../../process.ts';
import type { Load } from '../wrk.ts';

/** Well below the capacity of every peer, so that latency contains no queueing. */
export const steadyRate = 1_500;

const program = fileURLToPath(new URL('steady-load.ts', import.meta.url));
const report = z.object({
  requests: z.number(),
  refused: z.number(),
  broken: z.number(),
  p50Ms: z.number(),
  p99Ms: z.number(),
  /** The generator's own part of the latencies: from when a request was due until it was sent. */
  sentLateP50Ms: z.number(),
  sentLateP99Ms: z.number(),
});
export type SteadyReport = z.infer<typeof report>;

export async function askSteadily(load: Load, seconds: number): Promise<SteadyReport> {
  const plan = { ...load, rate: steadyRate, seconds };
  return report.parse(JSON.parse(await output(process.execPath, [program, JSON.stringify(plan)])));
}
