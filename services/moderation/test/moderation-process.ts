/** Moderation as a process of its own, as its image runs it, so that its memory can be read. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type VerdictReply, verdictReply } from '@offer-ads/contracts/moderation-api';
import { signedCaller, testContextSecret } from '@offer-ads/testing/caller';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

export type ModerationProcess = AsyncDisposable & {
  /** The verdict, or undefined while there is none (503). */
  readonly judge: (upload: Uint8Array) => Promise<VerdictReply | undefined>;
  /** The most that it ever had in memory at once. */
  readonly peakBytes: () => number;
};

export async function startModerationProcess(
  mongoUrl: string,
  settings: Record<string, string> = {},
): Promise<ModerationProcess> {
  const child = spawn(process.execPath, [main], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      HOST: '127.0.0.1',
      PORT: '0',
      MONGO_URL: mongoUrl,
      MODERATION_CONTEXT_SECRET: testContextSecret,
      ADMIN_TOKEN: 'an-admin-token-that-only-tests-ever-use-0123',
      NODE_ENV: 'production',
      // As in the Dockerfile.
      MALLOC_ARENA_MAX: '2',
      MALLOC_MMAP_THRESHOLD_: '262144',
      ...settings,
    },
  });
  const url = await addressOf(child);
  return {
    judge: (upload) => judge(url, upload),
    peakBytes: () => peakBytes(child.pid ?? 0),
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
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

async function judge(url: string, upload: Uint8Array): Promise<VerdictReply | undefined> {
  const response = await fetch(`${url}/internal/verdicts`, {
    method: 'POST',
    headers: { ...signedCaller({ audience: 'moderation' }), 'content-type': 'application/octet-stream' },
    body: new Uint8Array(upload),
  });
  const body: unknown = await response.json();
  if (response.status === 503) return undefined;
  if (response.status !== 200) throw new Error(`moderation answers ${response.status}`);
  return verdictReply.parse(body);
}

/** Linux only. */
function peakBytes(pid: number): number {
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kibibytes) * 1024;
}
