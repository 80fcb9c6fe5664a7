/** Keeps processes running: one that dies is started again, while the others keep running. All are stopped by their ids. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { forgetServer, recordServer } from '@offer-ads/backing/data-folder';
import { repository } from './folder.ts';
import type { ProcessPlan } from './plans.ts';
import { openLog } from './process-log.ts';

/** The first restart comes at once; later ones wait longer, so that a service that keeps dying does not keep the machine busy. */
const firstRestartMs = 250;
const longestRestartMs = 15_000;
/** After living this long, the next death counts as the first. */
const steadyAfterMs = 30_000;
/** An idle machine needs a tenth of this. */
const readyWithinMs = 150_000;
/** A start may fail once because a closing connection still uses its port; after this many failures it will not succeed. */
const maxDeathsAtStart = 3;
/** EX_CONFIG: its settings are wrong, and starting again cannot help. */
const exitConfig = 78;
const pollMs = 150;
/** A service itself stops within 30 seconds. */
const stopWithinMs = 35_000;

export type Supervisor = {
  /** Starts the process; resolves once it is ready, rejects when it cannot become so. */
  readonly start: (plan: ProcessPlan) => Promise<void>;
  /**
   * Stops the processes named, all at the same time, and does not start them again. SIGINT stops at once. With SIGTERM a service first
   * waits for its callers to close their connections, as in production.
   */
  readonly stop: (names: readonly string[], signal?: 'SIGINT' | 'SIGTERM') => Promise<void>;
  /** For a second Ctrl-C. */
  readonly killAll: () => void;
  readonly pids: () => Readonly<Record<string, number>>;
};

type Supervised = { child: ChildProcess; stopping: boolean; exited: Promise<void> };

export function createSupervisor(o: {
  logsFolder: string;
  /** Keeps the process ids, so that the next start can stop what a killed one left running. */
  runFolder: string;
  /** For every process, besides the variables of its plan. */
  env?: Readonly<Record<string, string>>;
  report: (line: string) => void;
  /** Called when a process has been started again under a new id. */
  onRestart: () => void;
}): Supervisor {
  const processes = new Map<string, Supervised>();
  const deaths = new Map<string, number>();

  function launch(plan: ProcessPlan, restartMs: number): Supervised {
    const child = spawn(process.execPath, plan.args, {
      cwd: repository,
      env: { ...process.env, ...o.env, ...plan.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A process group of its own, so that Ctrl-C reaches only this process, which stops all in order.
      detached: true,
    });
    const log = openLog(join(o.logsFolder, `${plan.name}.log`), (line) => o.report(`[${plan.name}] ${line}`));
    log.follow(child);
    if (child.pid !== undefined) recordServer(o.runFolder, plan.name, child.pid);
    const startedAt = performance.now();
    const { promise: exited, resolve } = Promise.withResolvers<void>();
    const supervised: Supervised = { child, stopping: false, exited };
    processes.set(plan.name, supervised);

    child.once('error', (error) => o.report(`[${plan.name}] could not be started: ${error.message}`));
    child.once('close', (code, signal) => {
      forgetServer(o.runFolder, plan.name);
      resolve();
      if (supervised.stopping) return;
      deaths.set(plan.name, code === exitConfig ? maxDeathsAtStart : (deaths.get(plan.name) ?? 0) + 1);
      const delayMs = performance.now() - startedAt > steadyAfterMs ? firstRestartMs : restartMs;
      o.report(
        `[${plan.name}] ended (${signal ?? `status ${code}`}); it is started again in ${delayMs / 1000} s`,
      );
      setTimeout(() => {
        if (supervised.stopping) return;
        launch(plan, Math.min(delayMs * 2, longestRestartMs));
        o.onRestart();
        void reportWhenReady(plan);
      }, delayMs);
    });
    return supervised;
  }

  async function reportWhenReady(plan: ProcessPlan): Promise<void> {
    const { child } = processes.get(plan.name) ?? {};
    if (await becomesReady(plan, () => child?.exitCode === null && child.signalCode === null)) {
      o.report(`[${plan.name}] runs again (process ${child?.pid})`);
    }
  }

  async function stopOne(name: string, signal: NodeJS.Signals): Promise<void> {
    const supervised = processes.get(name);
    if (!supervised) return;
    supervised.stopping = true;
    supervised.child.kill(signal);
    const kill = setTimeout(() => supervised.child.kill('SIGKILL'), stopWithinMs);
    await supervised.exited;
    clearTimeout(kill);
    processes.delete(name);
  }

  return {
    async start(plan) {
      launch(plan, firstRestartMs);
      const mayBecome = () =>
        processes.get(plan.name)?.stopping === false && (deaths.get(plan.name) ?? 0) < maxDeathsAtStart;
      if (await becomesReady(plan, mayBecome)) return;
      throw new Error(`${plan.name} did not become ready; see ${join(o.logsFolder, `${plan.name}.log`)}`);
    },
    async stop(names, signal = 'SIGINT') {
      await Promise.all(names.map((name) => stopOne(name, signal)));
    },
    killAll() {
      for (const supervised of processes.values()) {
        supervised.stopping = true;
        supervised.child.kill('SIGKILL');
      }
    },
    pids: () => Object.fromEntries([...processes].map(([name, { child }]) => [name, child.pid ?? 0])),
  };
}

/** False if it is not ready in time, or can no longer become ready. */
async function becomesReady(plan: ProcessPlan, mayBecome: () => boolean): Promise<boolean> {
  const giveUpAt = performance.now() + readyWithinMs;
  while (mayBecome() && performance.now() < giveUpAt) {
    if (await answersOk(plan.readyUrl)) return true;
    await pause(pollMs);
  }
  return false;
}

async function answersOk(url: string): Promise<boolean> {
  try {
    const reply = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await reply.body?.cancel();
    return reply.ok;
  } catch {
    return false;
  }
}
