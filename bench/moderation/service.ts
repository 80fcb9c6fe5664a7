/** Moderation as a process, like its image's, and a picture that it has never seen for each call. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { freePorts } from '@offer-ads/backing/free-port';
import { callerContextHeader } from '@offer-ads/contracts/internal/caller-context';
import { adminTokenHashes } from '@offer-ads/testing/admin';
import { signedCaller } from '@offer-ads/testing/caller';
import { Pool } from 'undici';
import { startProcess } from '../process.ts';

const main = fileURLToPath(new URL('../../services/moderation/src/main.ts', import.meta.url));

/** As on two cores, wherever this runs. */
export const atOnce = 2;

export type Service = {
  readonly pid: number;
  /** Rejects when the picture gets no verdict. */
  readonly judge: () => Promise<void>;
  /** Of all its processes; what they share counts once. */
  readonly memoryBytes: () => number;
};

export async function startService(
  opened: AsyncDisposableStack,
  o: { folder: string; mongoUrl: string; picture: Buffer },
): Promise<Service> {
  const secret = randomBytes(24).toString('hex');
  const [port = 0] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const mongoUrl = new URL(o.mongoUrl);
  mongoUrl.pathname = `/bench_${process.pid}_${port}`;
  const running = opened.use(
    await startProcess({
      name: `moderation-${port}`,
      folder: o.folder,
      command: process.execPath,
      args: [main],
      readyUrl: `${url}/readyz`,
      env: {
        NODE_ENV: 'production',
        PORT: `${port}`,
        ADMIN_PORT: '0',
        MONGO_URL: mongoUrl.href,
        MODERATION_CONTEXT_SECRET: secret,
        ADMIN_TOKEN_HASHES: adminTokenHashes,
        PICTURES_AT_ONCE: `${atOnce}`,
        MALLOC_ARENA_MAX: '2',
        NODE_OPTIONS: '--max-semi-space-size=4',
        MALLOC_MMAP_THRESHOLD_: '262144',
      },
    }),
  );
  const pool = new Pool(url, { connections: 16 });
  opened.defer(() => pool.close());
  let sent = 0;
  return {
    pid: running.pid,
    judge: async () => {
      sent += 1;
      const token = signedCaller({ audience: 'moderation' }, secret)[callerContextHeader] ?? '';
      const answer = await pool.request({
        method: 'POST',
        path: '/internal/verdicts',
        headers: { 'content-type': 'application/octet-stream', [callerContextHeader]: token },
        // Behind its end a picture may hold anything: the same to look at, and other bytes.
        body: Buffer.concat([o.picture, Buffer.from(`${sent}`)]),
      });
      const bytes = Buffer.from(await answer.body.arrayBuffer());
      if (answer.headers['content-type'] !== 'image/jpeg')
        throw new Error(`a picture is answered ${answer.statusCode}: ${bytes.toString('utf8', 0, 200)}`);
    },
    memoryBytes: () => {
      const { pid } = running;
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
      return [`${pid}`, ...children].reduce((sum, one) => {
        const [, kibibytes] =
          /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${one}/smaps_rollup`, 'utf8')) ?? [];
        return sum + Number(kibibytes) * 1024;
      }, 0);
    },
  };
}
