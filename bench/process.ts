/** Processes of a run: each started here, known by its id, stopped by it, and recorded for the case that we are killed. */
import { execFile, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { forgetServer, recordServer } from '@offer-ads/backing/data-folder';
import { untilItAnswers } from '@offer-ads/backing/stores';

export type ProcessPlan = {
  readonly name: string;
  readonly folder: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Answers 2xx once the process serves. */
  readonly readyUrl: string;
  /** Unless given, half a minute. */
  readonly readyWithinMs?: number;
};
export type Running = AsyncDisposable & { readonly pid: number; readonly outputFile: string };

const startBoundMs = 30_000;
const stopBoundMs = 35_000;

/** Its standard output goes to a file, as a container's would go to its runtime. */
export async function startProcess(plan: ProcessPlan): Promise<Running> {
  const taken = await fetch(plan.readyUrl).catch(() => undefined);
  if (taken !== undefined)
    throw new Error(`Somebody else answers at ${plan.readyUrl}: stop that, or take another port`);
  const outputFile = join(plan.folder, `${plan.name}.out`);
  const errorFile = join(plan.folder, `${plan.name}.err`);
  const [out, err] = [openSync(outputFile, 'a'), openSync(errorFile, 'a')];
  const child = spawn(plan.command, plan.args, {
    cwd: plan.cwd ?? plan.folder,
    env: { PATH: process.env.PATH ?? '', HOME: plan.folder, ...plan.env },
    stdio: ['ignore', out, err],
    // A group of its own: Ctrl-C is for us, who stop all in order.
    detached: true,
  });
  for (const file of [out, err]) closeSync(file);
  const gone = new AbortController();
  const exited = new Promise<void>((resolve) => {
    const end = (how: string) => {
      gone.abort(new Error(`${plan.name} ${how}:\n${readFileSync(errorFile, 'utf8').slice(-2_000)}`));
      resolve();
    };
    child.once('error', (error) => end(`could not be started: ${error.message}`));
    child.once('exit', (code, signal) => end(`ended with ${signal ?? `status ${code}`}`));
  });
  const pid = child.pid ?? 0;
  if (pid !== 0) recordServer(plan.folder, plan.name, pid);

  async function stop(): Promise<void> {
    if (pid === 0 || gone.signal.aborted) return;
    child.kill('SIGTERM');
    const kill = setTimeout(() => process.kill(-pid, 'SIGKILL'), stopBoundMs);
    await exited;
    clearTimeout(kill);
    forgetServer(plan.folder, plan.name);
  }
  try {
    await untilItAnswers(() => expectReady(plan.readyUrl), {
      boundMs: plan.readyWithinMs ?? startBoundMs,
      abandoned: gone.signal,
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { pid, outputFile, [Symbol.asyncDispose]: stop };
}

/** Throws while it says itself that it is not ready yet. */
async function expectReady(url: string): Promise<void> {
  const reply = await fetch(url);
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${url} answers ${reply.status}: ${text}`);
}

const run = promisify(execFile);
const commands = new AbortController();

/** Nothing that `output` waits for outlives us. */
export function endCommands(): void {
  commands.abort();
}

/** What a command prints, errors included; for commands that end by themselves. */
export async function output(command: string, args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await run(command, args, { maxBuffer: 2 ** 24, signal: commands.signal });
  return stdout + stderr;
}
