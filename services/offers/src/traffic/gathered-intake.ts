/** Views and clicks that come over HTTP, recorded in batches: many small requests at once would write the same rows one by one. */
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import { gatherBatches } from '@offer-ads/platform/messaging/broker/batches';
import { overloaded, serviceUnavailable } from '@offer-ads/platform/process/faults';
import type { OffersContext } from '../context.ts';
import { recordTraffic, type TrafficEvent } from './intake.ts';

/** At most this many at once. Those of one call are recorded together. */
export const MOST_AT_ONCE = 500;
/** What the slowest store records within the deadline of a request. More are refused. */
const MAX_WAITING = 20 * MOST_AT_ONCE;
/** Their callers wait. Under load, a batch fills while the one before it is written. */
const LINGER_MS = 5;

export type GatheredIntake = AsyncDisposable & {
  /**
   * Resolves when all events are committed. If it rejects, all or none of them are: the next call with the same events counts only what was
   * not counted.
   * @param events at most `MOST_AT_ONCE`
   * @throws {Fault} 503 when the deadline passed, the store failed, or too many wait
   */
  readonly record: (events: readonly TrafficEvent[], deadline: Deadline) => Promise<void>;
};

type Waiting = {
  readonly events: readonly TrafficEvent[];
  readonly isAwaited: () => boolean;
  readonly end: (error?: unknown) => void;
};

/** @param kind of all its events */
export function gatherTraffic(
  o: Pick<OffersContext, 'postgres' | 'clock' | 'meters'> & { readonly kind: TrafficEvent['kind'] },
): GatheredIntake {
  let waiting = 0;

  const batches = gatherBatches<Waiting>({
    atMost: MOST_AT_ONCE,
    sizeOf: ({ events }) => events.length,
    lingerMs: LINGER_MS,
    work: async (all) => {
      const awaited = all.filter(({ isAwaited }) => isAwaited());
      const error = await write(awaited.flatMap(({ events }) => events));
      for (const { end } of awaited) end(error);
    },
  });

  async function write(events: readonly TrafficEvent[]): Promise<unknown> {
    if (events.length === 0) return undefined;
    try {
      for (const [outcome, count] of Object.entries(await recordTraffic(o, events)))
        o.meters.traffic.inc({ kind: o.kind, outcome }, count);
      return undefined;
    } catch (error) {
      return serviceUnavailable(`${o.kind}s were not recorded`, error);
    }
  }

  return {
    record: async (events, deadline) => {
      if (events.length === 0) return;
      if (waiting + events.length > MAX_WAITING) throw overloaded(`too many ${o.kind}s wait`);
      waiting += events.length;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const late = setTimeout(
        () => reject(serviceUnavailable(`${o.kind}s were not recorded in time`)),
        deadline.remainingMs(),
      );
      let isAwaited = true;
      batches.add({
        events,
        isAwaited: () => isAwaited,
        end: (error) => (error === undefined ? resolve() : reject(error)),
      });
      try {
        await promise;
      } finally {
        clearTimeout(late);
        isAwaited = false;
        waiting -= events.length;
      }
    },
    [Symbol.asyncDispose]: batches.stop,
  };
}
