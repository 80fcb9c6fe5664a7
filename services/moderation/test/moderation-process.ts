/** Moderation as a process of its own, as its image runs it, so that its memory can be read. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { VerdictReply } from '@offer-ads/contracts/internal/moderation-api';
import { adminTokenHashes } from '@offer-ads/testing/admin';
import { signedCaller, testContextSecret } from '@offer-ads/testing/caller';
import { startServiceProcess } from '@offer-ads/testing/service-process';
import { verdictIn } from './verdict-in.ts';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** Two processes have no peak that the kernel would note. */
const sampleEveryMs = 20;

export type ModerationProcess = AsyncDisposable & {
  /** The verdict, or undefined while there is none: 503, 422 for want of time, 429 beside others of the organisation. */
  readonly judge: (upload: Uint8Array, organisationId?: number) => Promise<VerdictReply | undefined>;
  /** The most that both processes had in memory at one moment. */
  readonly peakBytes: () => number;
};

export async function startModerationProcess(
  mongoUrl: string,
  settings: Record<string, string> = {},
): Promise<ModerationProcess> {
  const { url, child, kill } = await startServiceProcess(main, {
    HOST: '127.0.0.1',
    PORT: '0',
    ADMIN_PORT: '0',
    MONGO_URL: mongoUrl,
    MODERATION_CONTEXT_SECRET: testContextSecret,
    ADMIN_TOKEN_HASHES: adminTokenHashes,
    NODE_ENV: 'production',
    // As in its image.
    MALLOC_ARENA_MAX: '2',
    NODE_OPTIONS: '--max-semi-space-size=4',
    MALLOC_MMAP_THRESHOLD_: '262144',
    ...settings,
  });
  let peakBytes = 0;
  let mostKibibytes = 0;
  const watch = setInterval(() => {
    const pid = child.pid ?? 0;
    const sum = [pid, ...childrenOf(pid)].reduce((sum, each) => sum + kibibytes(each, 'status', 'VmRSS'), 0);
    // What they share takes the kernel milliseconds to find out, so it is read only when they have more than ever.
    if (sum <= mostKibibytes) return;
    mostKibibytes = sum;
    peakBytes = Math.max(peakBytes, residentBytes(pid));
  }, sampleEveryMs);
  return {
    judge: (upload, organisationId = 1) => judge(url, upload, organisationId),
    peakBytes: () => peakBytes,
    [Symbol.asyncDispose]: () => {
      clearInterval(watch);
      return kill();
    },
  };
}

async function judge(
  url: string,
  upload: Uint8Array,
  organisationId: number,
): Promise<VerdictReply | undefined> {
  const response = await fetch(`${url}/internal/verdicts`, {
    method: 'POST',
    headers: {
      ...signedCaller({ audience: 'moderation', organisationId }),
      'content-type': 'application/octet-stream',
    },
    body: new Uint8Array(upload),
  });
  if (response.status !== 200) await response.body?.cancel();
  if ([503, 422, 429].includes(response.status)) return undefined;
  if (response.status !== 200) throw new Error(`moderation answers ${response.status}`);
  return verdictIn(response);
}

/** Of the service and the processes that open pictures now; pages that they share count once, as for a container. Linux only. */
function residentBytes(pid: number): number {
  const rollup = (of: number, name: string) => kibibytes(of, 'smaps_rollup', name);
  const ofChildren = childrenOf(pid).map((child) => rollup(child, 'Rss') - rollup(child, 'Shared_Clean'));
  return 1024 * ofChildren.reduce((sum, one) => sum + one, rollup(pid, 'Rss'));
}

function childrenOf(pid: number): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}

/** 0 of a process that has ended. */
function kibibytes(pid: number, file: 'status' | 'smaps_rollup', name: string): number {
  try {
    const text = readFileSync(`/proc/${pid}/${file}`, 'utf8');
    return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0);
  } catch {
    return 0;
  }
}
