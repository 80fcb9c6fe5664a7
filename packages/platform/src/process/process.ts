/** The life of a service process: start, wait for a signal, stop within a bound. */
import { ConfigError } from '../config/config-error.ts';
import { collectGarbage, expectShortLives } from './garbage.ts';
import { startWhenStoresServe } from './start-when-stores-serve.ts';

/** Longer than the longest request (a creation, 25 s) and within Kubernetes' usual 30 s + slack. */
const stopWithinMs = 30_000;
/** Time for what is still running after everything was disposed, such as sending the last spans. */
const lingerMs = 3_000;
/** EX_CONFIG of sysexits.h: a restart cannot help until somebody changes the settings. */
const exitConfig = 78;

export type RunningService = AsyncDisposable & {
  /** Closes the callers' connections before anything stops (http/server.ts). */
  readonly drain: () => Promise<void>;
};

/** Runs until SIGTERM or SIGINT, and waits a minute for its stores. Exit codes: 0 stopped, 1 failed to start or stop, 78 settings are wrong. */
export async function runService(service: string, start: () => Promise<RunningService>): Promise<void> {
  expectShortLives();
  const stopping = new AbortController();
  const signalled = waitForSignal().finally(() => stopping.abort());
  // Counted from the signal, also while the start hangs.
  void signalled.then(() =>
    setTimeout(() => exitNow(service, 'did not stop in time', 1), stopWithinMs).unref(),
  );
  try {
    const running = await startWhenStoresServe(start, {
      signal: stopping.signal,
      report: (problem) => process.stderr.write(`${service}: the start waits: ${problem}\n`),
    });
    // Now, because it blocks, and later it would delay more requests.
    collectGarbage({ type: 'major' });
    const signal = await signalled;
    // After Ctrl-C (SIGINT) no callers are expected.
    if (signal === 'SIGTERM') await running.drain();
    await running[Symbol.asyncDispose]();
    process.exitCode = 0;
  } catch (error) {
    const isConfig = error instanceof ConfigError;
    process.stderr.write(`${service}: ${isConfig ? error.message : describe(error)}\n`);
    process.exitCode = isConfig ? exitConfig : 1;
  }
  setTimeout(() => process.exit(), lingerMs).unref();
}

/** The first signal asks for an orderly stop, the second ends the process at once. */
function waitForSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let asked = false;
    const onSignal = (signal: NodeJS.Signals) => {
      if (asked) process.exit(130);
      asked = true;
      resolve(signal);
    };
    process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  });
}

function exitNow(service: string, problem: string, code: number): void {
  process.stderr.write(`${service}: ${problem}\n`);
  process.exit(code);
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
