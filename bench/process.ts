/** The processes of a run: each is started here, and stopped by its id. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { startProcess as start } from '@offer-ads/backing/embedded/server-process';

export type ProcessPlan = {
  readonly name: string;
  readonly folder: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Answers 2xx when the process is ready. */
  readonly readyUrl: string;
  readonly readyHeaders?: Readonly<Record<string, string>>;
  /** By default half a minute. */
  readonly readyWithinMs?: number;
};
export type Running = AsyncDisposable & { readonly pid: number };

/** Set where many measurements follow each other, so that the code of the services is compiled once. */
const { NODE_COMPILE_CACHE } = process.env;

export async function startProcess(plan: ProcessPlan): Promise<Running> {
  const { readyUrl, readyHeaders = {}, folder, env, readyWithinMs = 30_000, ...command } = plan;
  const taken = await fetch(readyUrl).catch(() => undefined);
  if (taken !== undefined)
    throw new Error(`Another process answers at ${readyUrl}: stop it, or use another port`);
  const { pid, stop } = await start({
    cwd: folder,
    ...command,
    folder,
    env: { HOME: folder, ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }), ...env },
    stopSignal: 'SIGTERM',
    startBoundMs: readyWithinMs,
    stopBoundMs: 35_000,
    ready: () => requireReady(readyUrl, readyHeaders),
  });
  return { pid, [Symbol.asyncDispose]: stop };
}

async function requireReady(url: string, headers: Readonly<Record<string, string>>): Promise<void> {
  const reply = await fetch(url, { headers });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${url} answers ${reply.status}: ${text}`);
}

const run = promisify(execFile);
const commands = new AbortController();

/** Ends the commands that `output` waits for. */
export function endCommands(): void {
  commands.abort();
}

/** Returns what a command prints, errors included. For commands that end by themselves. */
export async function output(command: string, args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await run(command, args, { maxBuffer: 2 ** 24, signal: commands.signal });
  return stdout + stderr;
}
