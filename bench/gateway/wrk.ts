/** One run of wrk: a closed loop, every connection asks again as soon as it is answered. */
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { output } from '../process.ts';

const script = fileURLToPath(new URL('wrk.lua', import.meta.url));
/** One thread sends more than any peer here can answer, and leaves the cores to them. */
export const threads = 1;
export const connections = 64;

const report = z.object({
  requests: z.number(),
  seconds: z.number(),
  /** Replies of 400 and above. */
  refused: z.number(),
  /** Connections refused or reset, replies that took longer than two seconds. */
  broken: z.number(),
  p50Ms: z.number(),
  p99Ms: z.number(),
});
export type WrkReport = z.infer<typeof report>;
/** `keysFile`: the API keys to use in turn, one a line. */
export type Load = { readonly url: string; readonly keysFile: string; readonly clients: number };

/** The arguments, as a person would type them too. */
export function wrkArguments({ url, keysFile, clients }: Load, seconds: number): string[] {
  const shape = [`-t${threads}`, `-c${connections}`, `-d${seconds}s`];
  return [...shape, '-s', script, url, '--', keysFile, String(clients)];
}

export function saturate(wrk: string, load: Load, seconds: number): Promise<WrkReport> {
  return runWrk(wrk, wrkArguments(load, seconds));
}

/** @param args with a script that prints its result as wrk.lua does */
export async function runWrk(wrk: string, args: readonly string[]): Promise<WrkReport> {
  const text = await output(wrk, args);
  const line = text.split('\n').find((line) => line.startsWith('{'));
  if (line === undefined) throw new Error(`wrk said nothing of its result:\n${text}`);
  return report.parse(JSON.parse(line));
}
