/** Runs a service as its own process, as its image does. A test can observe, stop or kill it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { compileCacheOfRun } from './config.ts';

export type ServiceProcess = AsyncDisposable & {
  readonly url: string;
  readonly adminUrl: string;
  readonly child: ChildProcess;
  /** Resolves when the process has ended, also when it had ended before. */
  readonly kill: () => Promise<void>;
};

/**
 * Resolves when it listens.
 * @param main the service's `main.ts`
 * @param env all its settings; of the test's own environment it gets the cache of compiled modules alone
 */
export async function startServiceProcess(main: string, env: NodeJS.ProcessEnv): Promise<ServiceProcess> {
  const child = spawn(process.execPath, [main], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...compileCacheOfRun(), ...env },
  });
  const kill = () => killed(child);
  try {
    return { ...(await addressesOf(child)), child, kill, [Symbol.asyncDispose]: kill };
  } catch (error) {
    await kill();
    throw error;
  }
}

/** The addresses in its log. The log is read to its end, because a full pipe would stop the process. */
async function addressesOf(
  child: ChildProcess & { stdout: NonNullable<ChildProcess['stdout']> },
): Promise<Pick<ServiceProcess, 'url' | 'adminUrl'>> {
  for await (const line of createInterface(child.stdout)) {
    const { address, adminAddress = '' } = JSON.parse(line) as { address?: string; adminAddress?: string };
    if (address === undefined) continue;
    child.stdout.resume();
    return { url: address, adminUrl: adminAddress };
  }
  throw new Error('the process ended before it listened');
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
