/** The service as processes of their own, to be killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { signedCaller } from '@offer-ads/testing/caller';
import type { OffersUnderTest } from './offers-under-test.ts';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

export type Victim = {
  /** What the process is asked. Resolves when the connection breaks under it; an answer is not wanted. */
  readonly ask: (
    method: 'POST' | 'DELETE',
    path: string,
    o: { organisationId: number; headers: Record<string, string>; body?: FormData },
  ) => Promise<void>;
  readonly kill: () => Promise<void>;
};

const alive = new Set<ChildProcess>();

/** For the end of a test file: none outlives it, however it ended. */
export async function killVictims(): Promise<void> {
  await Promise.all([...alive].map(kill));
}

async function kill(child: ChildProcess): Promise<void> {
  alive.delete(child);
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

/** Its clock is the real one: tokens are good for it whatever the test's clock says. */
export async function startVictim(under: OffersUnderTest): Promise<Victim> {
  const settings = Object.entries({ ...under.config, LOG_LEVEL: 'info' });
  const child = spawn(process.execPath, [main], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: Object.fromEntries(settings.map(([name, value]) => [name, `${value}`])),
  });
  alive.add(child);
  const url = await addressOf(child);
  return {
    ask: async (method, path, { organisationId, headers, body }) => {
      const caller = signedCaller({ audience: 'offers', organisationId });
      const init = { method, headers: { ...caller, ...headers }, ...(body !== undefined && { body }) };
      const answer = await fetch(url + path, init).catch(() => null);
      if (answer !== null) throw new Error(`answered ${answer.status} ${await answer.text()}`);
    },
    kill: () => kill(child),
  };
}

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
