/** A service as a process of its own, as its image runs it: to be looked at from outside, told to stop, or killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export type ServiceProcess = AsyncDisposable & {
  readonly url: string;
  readonly child: ChildProcess;
  /** Resolves once it is gone; also when it went before. */
  readonly kill: () => Promise<void>;
};

/**
 * Resolves once it listens.
 * @param main the service's `main.ts`
 * @param env all that it is told; of the test's own environment it sees nothing
 */
export async function startServiceProcess(main: string, env: NodeJS.ProcessEnv): Promise<ServiceProcess> {
  const child = spawn(process.execPath, [main], { stdio: ['ignore', 'pipe', 'inherit'], env });
  const kill = () => killed(child);
  try {
    return { url: await addressOf(child), child, kill, [Symbol.asyncDispose]: kill };
  } catch (error) {
    await kill();
    throw error;
  }
}

/** As its log tells it, which is read on afterwards, or a full pipe would stop the process. */
async function addressOf(
  child: ChildProcess & { stdout: NonNullable<ChildProcess['stdout']> },
): Promise<string> {
  for await (const line of createInterface(child.stdout)) {
    const { address } = JSON.parse(line) as { address?: string };
    if (address === undefined) continue;
    child.stdout.resume();
    return address;
  }
  throw new Error('the process ended before it listened');
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
