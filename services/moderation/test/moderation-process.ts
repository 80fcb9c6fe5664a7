/** Moderation as a process of its own, as its image runs it, so that its memory can be read. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type VerdictReply, verdictReply } from '@offer-ads/contracts/moderation-api';
import { adminTokenHashes } from '@offer-ads/testing/admin';
import { signedCaller, testContextSecret } from '@offer-ads/testing/caller';
import { startServiceProcess } from '@offer-ads/testing/service-process';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

export type ModerationProcess = AsyncDisposable & {
  /** The verdict, or undefined while there is none (503). */
  readonly judge: (upload: Uint8Array, organisationId?: number) => Promise<VerdictReply | undefined>;
  /** The most that it ever had in memory at once. */
  readonly peakBytes: () => number;
};

export async function startModerationProcess(
  mongoUrl: string,
  settings: Record<string, string> = {},
): Promise<ModerationProcess> {
  const { url, child, kill } = await startServiceProcess(main, {
    HOST: '127.0.0.1',
    PORT: '0',
    MONGO_URL: mongoUrl,
    MODERATION_CONTEXT_SECRET: testContextSecret,
    ADMIN_TOKEN_HASHES: adminTokenHashes,
    NODE_ENV: 'production',
    // As in the Dockerfile.
    MALLOC_ARENA_MAX: '2',
    MALLOC_MMAP_THRESHOLD_: '262144',
    ...settings,
  });
  return {
    judge: (upload, organisationId = 1) => judge(url, upload, organisationId),
    peakBytes: () => peakBytes(child.pid ?? 0),
    [Symbol.asyncDispose]: kill,
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
