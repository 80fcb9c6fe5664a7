/** Runs one server as a child: its output in a file, its end bounded. */
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { forgetServer, recordServer } from '../data-folder.ts';
import { untilItAnswers } from '../stores.ts';
import type { User } from './unprivileged-user.ts';

export type ServerCommand = {
  /** Names the record and the log in the data folder. */
  readonly name: string;
  readonly folder: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly user?: User | undefined;
  readonly stopSignal: NodeJS.Signals;
  /** Rejects until the server is ready. */
  readonly ready: () => Promise<void>;
};

/** A cold RabbitMQ takes 15 seconds on two cores, and was seen to take 70 beside heavy work. Who dies is not waited for. */
const START_BOUND_MS = 180_000;
const STOP_BOUND_MS = 15_000;

/** Returns once the server is ready, with the function that stops it. */
export async function startServer(server: ServerCommand): Promise<() => Promise<void>> {
  const logFile = join(server.folder, `${server.name}.log`);
  const log = openSync(logFile, 'a');
  const child = spawn(server.command, server.args, {
    cwd: '/',
    env: { ...inherited(), ...server.env },
    stdio: ['ignore', log, log],
    // A process group of its own: Ctrl-C in the terminal is for us, who stop servers last and in order.
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
    const kill = setTimeout(() => process.kill(-pid, 'SIGKILL'), STOP_BOUND_MS);
    await exited;
    clearTimeout(kill);
    forgetServer(server.folder, server.name);
  }

  try {
    await untilItAnswers(server.ready, { boundMs: START_BOUND_MS, abandoned: gone.signal });
  } catch (error) {
    await stop();
    throw error;
  }
  return stop;
}

/** What a server needs of our environment. Settings meant for another server of its kind are left out. */
function inherited(): Record<string, string> {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'TZ'];
  return Object.fromEntries(
    kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}

function tail(file: string): string {
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-15).join('\n');
}
