/** Runs one server as a child process. Its output goes to a file, and its stop has a time-out. */
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { forgetServer, recordServer } from '../data-folder.ts';
import { untilItAnswers } from '../stores.ts';
import type { User } from './unprivileged-user.ts';

export type ServerCommand = {
  /** Used for the names of the record and the log in the data folder. */
  readonly name: string;
  readonly folder: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly user?: User | undefined;
  readonly cwd?: string;
  readonly stopSignal: NodeJS.Signals;
  /** How long its start and its end may take, if not as long as those of stores. */
  readonly startBoundMs?: number;
  readonly stopBoundMs?: number;
  /** Rejects until the server is ready. */
  readonly ready: () => Promise<void>;
};

/** The first start of RabbitMQ takes 15 seconds on two cores, and 70 on a busy machine. A server that has ended is not waited for. */
const START_BOUND_MS = 180_000;
const STOP_BOUND_MS = 15_000;

/** Returns the function that stops the server, once the server is ready. */
export async function startServer(server: ServerCommand): Promise<() => Promise<void>> {
  return (await startProcess(server)).stop;
}

export type StartedProcess = {
  readonly pid: number;
  /** Holds all that it prints. */
  readonly logFile: string;
  readonly stop: () => Promise<void>;
};

/** Returns once the process is ready. */
export async function startProcess(server: ServerCommand): Promise<StartedProcess> {
  const logFile = join(server.folder, `${server.name}.log`);
  const log = openSync(logFile, 'a');
  const child = spawn(server.command, server.args, {
    cwd: server.cwd ?? '/',
    env: { ...inherited(), ...server.env },
    stdio: ['ignore', log, log],
    // Its own process group, so that Ctrl-C in the terminal reaches only this process, which stops the servers last and in order.
    detached: true,
    ...server.user,
  });
  closeSync(log);
  const gone = new AbortController();
  const exited = new Promise<void>((resolve) => {
    const end = (reason: string) => {
      gone.abort(new Error(`${server.name} ${reason}; the end of ${logFile}:\n${tail(logFile)}`));
      resolve();
    };
    child.once('error', (error) => end(`could not be started: ${error.message}`));
    child.once('exit', (code, signal) => end(`ended with ${signal ?? `status ${code}`}`));
  });
  const { pid } = child;
  if (pid !== undefined) recordServer(server.folder, server.name, pid);

  async function stop(): Promise<void> {
    if (pid === undefined || gone.signal.aborted) return;
    child.kill(server.stopSignal);
    const kill = setTimeout(() => process.kill(-pid, 'SIGKILL'), server.stopBoundMs ?? STOP_BOUND_MS);
    await exited;
    clearTimeout(kill);
    forgetServer(server.folder, server.name);
  }

  try {
    await untilItAnswers(server.ready, {
      boundMs: server.startBoundMs ?? START_BOUND_MS,
      abandoned: gone.signal,
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { pid: pid ?? 0, logFile, stop };
}

/** The part of our environment that a server needs. Settings for another server of its kind are left out. */
function inherited(): Record<string, string> {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'TZ'];
  return Object.fromEntries(
    kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}

function tail(file: string): string {
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-15).join('\n');
}
