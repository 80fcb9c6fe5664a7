/**
 * Holding: while a store is unreachable, failures are not caused by the events, so events must not use up their retries and be parked.
 * Deliveries wait in memory, unacknowledged. One after the other is tried after growing pauses, until one shows that the store answers.
 */
import { growingPauses, type PauseBounds } from '../../process/growing-pauses.ts';
import type { Logger } from '../../telemetry/logging.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { QueueKind } from './topology.ts';

/** `answered`: it was handled, so the store answers. `unknown` says nothing about the store. */
export type Tried = 'answered' | 'unavailable' | 'unknown';

export type Holding<D> = {
  readonly isHolding: () => boolean;
  /** Holds it until the outage is over, without a try. */
  readonly keep: (delivery: D) => void;
  /** The store was unreachable for these: they are held, and an outage begins unless one has begun. */
  readonly failed: (deliveries: readonly D[]) => void;
  /** An event was handled, so the store answers. */
  readonly answered: () => void;
  /** The store failed for this event before and has answered others since. A batch with it may be too large, so handle it alone. */
  readonly isSuspect: (delivery: D) => boolean;
  /**
   * Call it when a try begins. The returned function says, after the store failed in this try, whether the event itself is the cause. It
   * is the cause if the store failed for it before, and other events were handled during this try. An unstable store alone does not
   * give this result.
   */
  readonly watchTry: (delivery: D) => () => boolean;
  /** Resolves when no try is running any more. Call it after the signal has aborted. */
  readonly stopped: () => Promise<void>;
};

/** A third of the time after which RabbitMQ closes a channel on which a delivery is not acknowledged. */
const HELD_AT_MOST_MS = 600_000;

export function startHolding<D extends object>(o: {
  readonly signal: AbortSignal;
  readonly tryAlone: (delivery: D) => Promise<Tried>;
  /** Handles it as if it had just been delivered. */
  readonly takeAgain: (delivery: D) => void;
  /** Publishes them again with a delay, without counting a try. */
  readonly putOff: (deliveries: readonly D[]) => Promise<void>;
  readonly heldAtMostMs?: number | undefined;
  readonly pauses?: PauseBounds | undefined;
  readonly kind: QueueKind;
  readonly logger: Logger;
  readonly metrics: Metrics;
}): Holding<D> {
  const waits = o.metrics.gauge({
    name: 'events_wait_for_store',
    help: '1 from when an event was held because a store did not answer until one is handled',
    labelNames: ['queue'],
  });
  waits.set({ queue: o.kind }, 0);
  const heldAtMostMs = o.heldAtMostMs ?? HELD_AT_MOST_MS;
  /** Held deliveries and since when, in the order in which they are tried. */
  const held = new Map<D, number>();
  /** For each delivery: how many events had been handled when the store first failed for it. */
  const answersAtFailure = new WeakMap<D, number>();
  let answers = 0;
  let outage: Promise<void> | undefined;

  function keep(delivery: D): void {
    held.set(delivery, performance.now());
  }

  function noteFailure(delivery: D): void {
    if (!answersAtFailure.has(delivery)) answersAtFailure.set(delivery, answers);
  }

  async function untilStoreAnswers(): Promise<void> {
    const pauses = growingPauses(o.signal, o.pauses);
    for (;;) {
      await pauses.wait();
      if (o.signal.aborted) return;
      await putOffLongHeld();
      const next = nextToTry();
      if (next === undefined) return;
      const [delivery, since] = next;
      held.delete(delivery);
      const tried = await o.tryAlone(delivery);
      if (tried === 'answered') return;
      if (tried === 'unknown') continue;
      noteFailure(delivery);
      held.set(delivery, since);
    }
  }

  /** Deliveries that have not failed yet come first: if the store takes one of them, the others may be the cause themselves. */
  function nextToTry(): [D, number] | undefined {
    const all = [...held];
    return all.find(([delivery]) => !answersAtFailure.has(delivery)) ?? all[0];
  }

  async function putOffLongHeld(): Promise<void> {
    const before = performance.now() - heldAtMostMs;
    const long = [...held].filter(([, since]) => since < before).map(([delivery]) => delivery);
    for (const delivery of long) held.delete(delivery);
    if (long.length > 0) await o.putOff(long);
  }

  async function hold(): Promise<void> {
    o.logger.warn('a store does not answer: events are held');
    await untilStoreAnswers();
    outage = undefined;
    const again = [...held.keys()];
    held.clear();
    if (o.signal.aborted) return;
    o.logger.info({ events: again.length }, 'the store answers again: held events are handled');
    for (const delivery of again) o.takeAgain(delivery);
  }

  return {
    isHolding: () => outage !== undefined,
    keep,
    failed: (deliveries) => {
      for (const delivery of deliveries) {
        noteFailure(delivery);
        keep(delivery);
      }
      waits.set({ queue: o.kind }, 1);
      outage ??= hold();
    },
    answered: () => {
      answers += 1;
      waits.set({ queue: o.kind }, 0);
    },
    isSuspect: (delivery) => (answersAtFailure.get(delivery) ?? answers) < answers,
    watchTry: (delivery) => {
      const before = answers;
      return () => answersAtFailure.has(delivery) && answers > before;
    },
    stopped: async () => outage,
  };
}
