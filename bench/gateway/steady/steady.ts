/** Runs the open loop in a process of its own. */
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { output } from '../../process.ts';
import type { Load } from '../wrk.ts';

/** Well under what every peer can do, so that it is the way through that is measured and not a queue. */
export const steadyRate = 1_500;

const program = fileURLToPath(new URL('steady-load.ts', import.meta.url));
const report = z.object({
  requests: z.number(),
  refused: z.number(),
  broken: z.number(),
  p50Ms: z.number(),
  p99Ms: z.number(),
  /** How much of the latencies is the generator's own: between the moment a request was due and its sending. */
  sentLateP50Ms: z.number(),
  sentLateP99Ms: z.number(),
});
export type SteadyReport = z.infer<typeof report>;

export async function askSteadily(load: Load, seconds: number): Promise<SteadyReport> {
  const plan = { ...load, rate: steadyRate, seconds };
  return report.parse(JSON.parse(await output(process.execPath, [program, JSON.stringify(plan)])));
}
