/**
 * Holding: while a store is away no event is to blame, so none is tried again and again and parked. Deliveries wait in memory,
 * unacknowledged, and one after the other is tried after growing pauses, until one shows that the store answers.
 */
import { growingPauses, type PauseBounds } from '../../process/growing-pauses.ts';
import type { Logger } from '../../telemetry/logging.ts';
import type { Metrics } from '../../telemetry/metrics.ts';

/** `answered`: it was handled, so the store answers. `unknown` says nothing about the store. */
export type Tried = 'answered' | 'unavailable' | 'unknown';

export type Holding<D> = {
  readonly isHolding: () => boolean;
  /** Keeps it for after the outage, without a try. */
  readonly keep: (delivery: D) => void;
  /** The store was away for these: they are kept, and the outage begins, if it has not. */
  readonly failed: (deliveries: readonly D[]) => void;
  /** An event was handled, so the store answers. */
  readonly answered: () => void;
  /** The store was away for it before and has answered others since: what is too much for it together may be done one by one. */
  readonly isSuspect: (delivery: D) => boolean;
  /**
   * To be called when a try begins. Afterwards it says whether the event itself is to blame if the store was away for it: it was so
   * before, and others were handled during this very try. A store that comes and goes makes that of no event.
   */
  readonly watchTry: (delivery: D) => () => boolean;
  /** Resolves when no try is at work any more; the signal must have aborted. */
  readonly stopped: () => Promise<void>;
};

/** A third of the time after which RabbitMQ closes the channel of whoever acknowledges nothing. */
const HELD_AT_MOST_MS = 600_000;

export function startHolding<D extends object>(o: {
  readonly signal: AbortSignal;
  readonly tryAlone: (delivery: D) => Promise<Tried>;
  /** Treats it as if it had just been delivered. */
  readonly takeAgain: (delivery: D) => void;
  /** Sends them through the broker once more, without counting it as a try. */
  readonly putOff: (deliveries: readonly D[]) => Promise<void>;
  readonly heldAtMostMs?: number | undefined;
  readonly pauses?: PauseBounds | undefined;
  readonly logger: Logger;
  readonly metrics: Metrics;
}): Holding<D> {
  const waits = o.metrics.gauge({
    name: 'events_wait_for_store',
    help: '1 from when an event was held because a store did not answer until one is handled',
  });
  waits.set(0);
  const heldAtMostMs = o.heldAtMostMs ?? HELD_AT_MOST_MS;
  /** Since when; in the order of their turns. */
  const held = new Map<D, number>();
  /** How often the store had answered when it was first away for a delivery. */
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

  /** One that has not failed yet comes first: if the store takes it, the others may be the cause themselves. */
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
    o.logger.warn('a store does not answer: events wait for it');
    await untilStoreAnswers();
    outage = undefined;
    const again = [...held.keys()];
    held.clear();
    if (o.signal.aborted) return;
    o.logger.info({ events: again.length }, 'events go on');
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
      waits.set(1);
      outage ??= hold();
    },
    answered: () => {
      answers += 1;
      waits.set(0);
    },
    isSuspect: (delivery) => (answersAtFailure.get(delivery) ?? answers) < answers,
    watchTry: (delivery) => {
      const before = answers;
      return () => answersAtFailure.has(delivery) && answers > before;
    },
    stopped: async () => outage,
  };
}
