/** Members counted by four processes, each with a quarter of them, and by one index with all. */
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { freePorts } from '@offer-ads/backing/free-port';
import type { Target } from '@offer-ads/contracts/audience/target';
import { createFoundation } from '@offer-ads/platform/process/foundation';
import { z } from 'zod';
import { openPartitionedAudience } from '../../services/pricing/src/audience/partitioned-audience.ts';
import type { AudienceIndex } from '../../services/pricing/src/audience-index/audience-index.ts';
import { cpuMsOf } from '../cpu.ts';
import { watchForeignLoad } from '../machine-load.ts';
import { startProcess } from '../process.ts';
import { residentBytes } from './pricing-process.ts';

export type Partitions = {
  readonly partitions: readonly {
    readonly members: number;
    readonly bytes: number;
    readonly buildSeconds: number;
    readonly residentBytes: number;
    /** While it was built. */
    readonly mostBytes: number;
  }[];
  /** Milliseconds of each count, one after the other. */
  readonly asked: readonly number[];
  readonly alone: readonly number[];
  /** With many counts under way at once. */
  readonly together: {
    readonly perSecond: number;
    readonly askingCpuMicros: number;
    readonly partitionCpuMicros: number;
  };
  readonly foreignLoad: number;
};

const PARTITIONS = 4;
const COUNTS_AT_ONCE = 64;
const READY_WITHIN_MS = 900_000;
const directory = fileURLToPath(new URL('.', import.meta.url));
const built = z.object({ buildSeconds: z.number(), members: z.number(), bytes: z.number() });

export async function measurePartitions(o: {
  folder: string;
  size: number;
  /** All members. */
  index: AudienceIndex;
  targets: readonly Target[];
  rounds: number;
  report: (line: string) => void;
}): Promise<Partitions> {
  await using opened = new AsyncDisposableStack();
  const secret = randomBytes(24).toString('hex');
  const ports = await freePorts(PARTITIONS);
  const processes = await Promise.all(
    ports.map(async (port, number) => {
      const url = `http://127.0.0.1:${port}`;
      const { pid } = opened.use(
        await startProcess({
          name: `partition-${number}`,
          folder: o.folder,
          cwd: directory,
          command: process.execPath,
          args: ['partition-process.ts', `${o.size}`, `${number}`, `${PARTITIONS}`, `${port}`],
          readyUrl: `${url}/readyz`,
          readyWithinMs: READY_WITHIN_MS,
          env: { NODE_ENV: 'production', PRICING_CONTEXT_SECRET: secret },
        }),
      );
      return { url, pid, built: built.parse(await (await fetch(`${url}/built`)).json()) };
    }),
  );
  o.report('Every partition is built.');
  const urls = processes.map(({ url }) => url);
  const asker = opened.use(
    openPartitionedAudience({ ...createFoundation('pricing', 'warn', {}), urls, secret }),
  );

  const foreign = watchForeignLoad();
  const expected = o.targets.map(o.index.count);
  const asked: number[] = [];
  const alone: number[] = [];
  for (let round = 0; round <= o.rounds; round += 1) {
    for (const [at, target] of o.targets.entries()) {
      const askedAt = performance.now();
      const counted = await asker.count(target);
      const answeredAt = performance.now();
      const own = o.index.count(target);
      const aloneMs = performance.now() - answeredAt;
      if (counted !== expected[at] || own !== expected[at])
        throw new Error(`the partitions count ${counted} and not ${expected[at]}`);
      // The first round warms up.
      if (round === 0) continue;
      asked.push(answeredAt - askedAt);
      alone.push(aloneMs);
    }
  }
  const together = await countTogether({ asker, processes, ...o });
  return {
    partitions: processes.map(({ pid, built: { members, bytes, buildSeconds } }) => {
      const { now, most } = residentBytes(pid);
      return { members, bytes, buildSeconds, residentBytes: now, mostBytes: most };
    }),
    asked,
    alone,
    together,
    foreignLoad: foreign(),
  };
}

async function countTogether(o: {
  readonly asker: Pick<ReturnType<typeof openPartitionedAudience>, 'count'>;
  readonly processes: readonly { readonly pid: number }[];
  readonly targets: readonly Target[];
  readonly rounds: number;
}): Promise<Partitions['together']> {
  const counts = o.rounds * 10_000;
  let left = counts;
  const count = async () => {
    for (; left > 0; await o.asker.count(o.targets[left % o.targets.length] as Target)) left -= 1;
  };
  const cpuOf = (pids: readonly number[]) => pids.reduce((sum, pid) => sum + cpuMsOf(pid), 0);
  const ownMs = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  };
  const pids = o.processes.map(({ pid }) => pid);
  const before = { asking: ownMs(), partitions: cpuOf(pids), at: performance.now() };
  await Promise.all(Array.from({ length: COUNTS_AT_ONCE }, count));
  const micros = (cpuMs: number) => (cpuMs * 1_000) / counts;
  return {
    perSecond: (counts * 1_000) / (performance.now() - before.at),
    askingCpuMicros: micros(ownMs() - before.asking),
    partitionCpuMicros: micros(cpuOf(pids) - before.partitions) / PARTITIONS,
  };
}
