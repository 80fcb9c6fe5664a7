/**
 * Counts requests against limits: in a store shared by all replicas, or in memory that the replica's threads share, which is exact for one replica and replaces the store
 * while it is unavailable. The limits themselves are where they are used, for example in http/proxy/rate-limit.ts.
 */
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import { type Limit, type LimitState, limitState } from '../domain/limits/fixed-window.ts';
import {
  countHere,
  type KnownCount,
  surelyOver,
  toAdd,
  withoutDebt,
  withSharedCount,
} from '../domain/limits/known-count.ts';
import { whenKnown } from '../when-known.ts';
import { type ClientWindows, type WindowsMemory, windowsOf } from './client-windows.ts';
import { connectSharedCounts, type SharedCounts } from './shared-counts.ts';

export type { Limit, LimitState };

export type RequestLimiter = AsyncDisposable & {
  /**
   * Counts one request of `client`, whatever its result, and returns whether it is within the limit. Limits of one name share their counts
   * and have the same window. Never rejects. `client` is stored for the length of the window: hash it if it is secret. Only a count in the
   * shared store is waited for.
   */
  readonly consume: (limit: Limit, client: string) => LimitState | Promise<LimitState>;
};

export async function startRequestLimiter(o: {
  storeUrl: string | undefined;
  /** The prefix of every key in the store. */
  namespace: string;
  answerMs?: number | undefined;
  logger: Logger;
  metrics: Metrics;
  elapsedMs?: (() => number) | undefined;
  memory: WindowsMemory;
}): Promise<RequestLimiter> {
  const { storeUrl } = o;
  const shared = storeUrl === undefined ? undefined : await connectSharedCounts({ ...o, url: storeUrl });
  return createRequestLimiter({ ...o, shared });
}

/** `elapsedMs`, in whole milliseconds, never decreases, unlike the time of day, which may be set back. */
export function createRequestLimiter(o: {
  metrics: Metrics;
  memory: WindowsMemory;
  shared?: SharedCounts | undefined;
  elapsedMs?: (() => number) | undefined;
}): RequestLimiter {
  const { shared } = o;
  const elapsedMs = o.elapsedMs ?? clockOfProcess();
  const countedInMemory = o.metrics.counter({
    name: 'rate_limit_counted_in_memory_total',
    help: 'Requests counted in memory because the shared store was away.',
  });
  const counted = o.metrics.counter({
    name: 'rate_limit_requests_total',
    help: 'Requests counted against a limit, by whether they were within it.',
    labelNames: ['limit', 'outcome'],
  });
  const byName = new Map<string, Counting>();
  const countingOf = ({ name }: Limit): Counting => {
    const known = byName.get(name);
    if (known !== undefined) return known;
    const counting = {
      windows: windowsOf(o.memory, name),
      allowed: counted.labels({ limit: name, outcome: 'allowed' }),
      refused: counted.labels({ limit: name, outcome: 'refused' }),
    };
    byName.set(name, counting);
    return counting;
  };

  /**
   * Every replica allows the whole limit. A share of it would refuse well-behaved clients, and a client that uses several replicas gains
   * something only during the outage.
   */
  const countInMemory = ({ windows }: Counting, limit: Limit, client: string, owes: number): LimitState => {
    const nowMs = elapsedMs();
    const window = windows.change(client, nowMs, (known) => countHere(known, limit, { nowMs, owes }));
    return limitState(window, limit, nowMs);
  };

  const countInStore = (
    store: SharedCounts,
    counting: Counting,
    limit: Limit,
    client: string,
  ): LimitState | Promise<LimitState> => {
    const { windows } = counting;
    // The time before the request, so that no window cached here ends later than the store's.
    const askedAtMs = elapsedMs();
    let known: KnownCount | undefined;
    // A client that is surely over its limit owes nothing, so this changes nothing for it.
    windows.change(client, askedAtMs, (before) => {
      known = before;
      return withoutDebt(before);
    });
    const over = surelyOver(known, limit, askedAtMs);
    if (over !== undefined) return limitState(over, limit, askedAtMs);

    const addition = toAdd(known, limit, askedAtMs);
    return store.add(`${limit.name}:${client}`, addition).then((answer) => {
      if (typeof answer === 'string') {
        countedInMemory.inc();
        return countInMemory(counting, limit, client, answer === 'no-answer' ? 0 : addition.requests);
      }
      const window = { count: answer.count, endsAtMs: askedAtMs + answer.msToEnd };
      windows.change(client, askedAtMs, (before) => withSharedCount(before, window, askedAtMs));
      return limitState(window, limit, askedAtMs);
    });
  };

  const count = (counting: Counting, limit: Limit, client: string): LimitState | Promise<LimitState> => {
    if (shared === undefined) return countInMemory(counting, limit, client, 0);
    if (shared.isUp(`${limit.name}:${client}`)) return countInStore(shared, counting, limit, client);
    countedInMemory.inc();
    return countInMemory(counting, limit, client, 1);
  };

  return {
    consume: (limit, client) => {
      const counting = countingOf(limit);
      const report = (state: LimitState) => {
        (state.allowed ? counting.allowed : counting.refused).inc();
        return state;
      };
      return whenKnown(count(counting, limit, client), report);
    },
    [Symbol.asyncDispose]: async () => shared?.[Symbol.asyncDispose](),
  };
}

/** In whole milliseconds. All threads of the process share it: `performance.now()` begins anew in each thread. */
function clockOfProcess(): () => number {
  const aheadMs = Number(process.hrtime.bigint()) / 1e6 - performance.now();
  return () => Math.floor(performance.now() + aheadMs);
}

/** The counts of one limit, and its metrics. */
type Counting = {
  readonly windows: ClientWindows;
  readonly allowed: { inc(): void };
  readonly refused: { inc(): void };
};
