/** How many pictures one service judges, and what memory they leave behind. */
import { photographLikeJpeg } from '@offer-ads/testing/pictures/pictures';
import { closedLoop } from '../closed-loop.ts';
import { cpuMsOf } from '../cpu.ts';
import { waitUntilIdle, watchForeignLoad } from '../machine-load.ts';
import { median, percentile, shown } from '../markdown.ts';
import type { Stores } from '../stores.ts';
import { type Service, startService, threads } from './service.ts';

/** As many as are worked on, so that nobody's time holds another's. */
export const AT_ONCE = threads;

export type Sample = {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly pictures: number;
  /** Processor time of the service for each picture. */
  readonly cpuMs: number;
  readonly foreignLoad: number;
};
/** At the median of the pictures since the reading before: at any one moment buffers that wait to be collected are tens of megabytes. */
export type Memory = { readonly pictures: number; readonly rssBytes: number };
export type Run = {
  readonly samples: readonly Sample[];
  readonly memory: readonly Memory[];
  readonly pictureBytes: number;
};

type Plan = {
  readonly warmUpSeconds: number;
  readonly seconds: number;
  readonly memoryAfter: readonly number[];
};
const plan: Plan = { warmUpSeconds: 3, seconds: 12, memoryAfter: [500, 1_000, 1_500, 2_000] };
const quickPlan: Plan = { warmUpSeconds: 1, seconds: 3, memoryAfter: [20, 40, 60, 80] };

export async function measureModeration(
  opened: AsyncDisposableStack,
  o: { stores: Stores; rounds: number; quick: boolean; report: (line: string) => void },
): Promise<Run> {
  const { warmUpSeconds, seconds, memoryAfter } = o.quick ? quickPlan : plan;
  const picture = await photographLikeJpeg({ width: 1_080, height: 1_080 });
  const { folder, backing } = o.stores;
  const service = await startService(opened, { folder, mongoUrl: backing.mongoUrl, picture });
  const samples: Sample[] = [];
  for (let round = 1; round <= o.rounds; round += 1) {
    const sample = await measureRound(service, { warmUpSeconds, seconds });
    samples.push(sample);
    o.report(`round ${round}  ${shown(sample.perSecond, 1)}/s, p99 ${shown(sample.p99Ms)} ms`);
  }
  return {
    samples,
    memory: await measureMemory(service, memoryAfter, o.report),
    pictureBytes: picture.length,
  };
}

async function measureMemory(
  service: Service,
  memoryAfter: readonly number[],
  report: (line: string) => void,
): Promise<readonly Memory[]> {
  const memory: Memory[] = [];
  let judged = 0;
  for (const pictures of memoryAfter) {
    const seen: number[] = [];
    for (; judged < pictures; judged += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, () => service.judge()));
      seen.push(service.rssBytes());
    }
    const rssBytes = median(seen);
    memory.push({ pictures, rssBytes });
    report(`${pictures} pictures: ${shown(rssBytes / 1e6)} MB, at most ${shown(Math.max(...seen) / 1e6)}`);
  }
  return memory;
}

async function measureRound(
  service: Service,
  o: { warmUpSeconds: number; seconds: number },
): Promise<Sample> {
  await waitUntilIdle();
  await closedLoop(service.judge, { atOnce: AT_ONCE, seconds: o.warmUpSeconds });
  const foreignLoad = watchForeignLoad();
  const cpuBefore = cpuMsOf(service.pid);
  const load = await closedLoop(service.judge, { atOnce: AT_ONCE, seconds: o.seconds });
  return {
    perSecond: load.done / load.seconds,
    p50Ms: percentile(load.latenciesMs, 50),
    p99Ms: percentile(load.latenciesMs, 99),
    pictures: load.done,
    cpuMs: (cpuMsOf(service.pid) - cpuBefore) / load.done,
    foreignLoad: foreignLoad(),
  };
}
