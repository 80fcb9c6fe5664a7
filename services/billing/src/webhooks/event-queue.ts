/**
 * Events of payments wait here, in memory, while the transactions before them are under way, and the next transaction applies those that
 * wait, each about another purchase: many payments share round trips, a commit, and one turn at the numbers of invoices.
 */
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { createDeadline, type Deadline } from '@offer-ads/platform/calls/deadline';
import { isBlocked } from '@offer-ads/platform/postgres/postgres';
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import { currentSpan, inSpanOf } from '@offer-ads/platform/telemetry/traces';
import type { Billing } from '../billing.ts';
import { purchaseName } from '../domain/payments/card-payment.ts';
import type { EventOutcome } from '../domain/payments/event-outcomes.ts';
import type { ProviderEvent } from '../stripe/read-event.ts';
import { applyEvent, applyEvents, type IncomingEvent, receiptOf } from './apply-event.ts';

/** Those under way and those that wait: what a slow machine does in the two seconds below. Stripe sends the others again. */
const MAX_EVENTS = 256;
/** As long as a request may wait for a connection. */
const MAX_WAIT_MS = 2_000;
/** More in one transaction would only make the first of them wait. */
const MAX_AT_ONCE = 16;
/** While one waits for the disk and for the numbers of invoices, Postgres works on the other. With more, batches would be smaller. */
const TRANSACTIONS_AT_ONCE = 2;
/**
 * How long the events of a batch wait for a lock that one of them needs. Below the second after which Postgres looks for a deadlock. Other
 * replicas hold the lock of the invoice numbers for a sync of the disk each.
 */
const LOCK_WAIT_MS = 500;

type Waiting = IncomingEvent & {
  readonly purchase: string;
  readonly resolve: (outcome: EventOutcome) => void;
  readonly reject: (error: unknown) => void;
};

export type EventQueue = {
  /**
   * @param deadline by when the event must be under way; two seconds unless given
   * @throws {Fault} 503 when the queue is full or the deadline has passed
   */
  readonly apply: (event: ProviderEvent, deadline?: Deadline) => Promise<EventOutcome>;
};

/** @param lockWaitMs may be set by a test */
export function createEventQueue(billing: Billing, lockWaitMs = LOCK_WAIT_MS): EventQueue {
  const waiting = new Set<Waiting>();
  /** Purchases of the events that are under way. */
  const busy = new Set<string>();
  let transactions = 0;

  function applyWaiting(): void {
    for (let free = TRANSACTIONS_AT_ONCE - transactions; free > 0; free -= 1) {
      const batch = nextBatch(waiting, busy);
      if (batch.length === 0) return;
      void inSpanOf(batch[0]?.span, () => applyBatch(batch));
    }
  }

  /** Settles every event of the batch; never throws. */
  async function applyBatch(batch: readonly Waiting[]): Promise<void> {
    transactions += 1;
    const areSettled = await applyTogether(billing, batch, lockWaitMs);
    // Requests that have arrived meanwhile join the next batch.
    await turnOfLoop();
    transactions -= 1;
    for (const one of batch) {
      if (areSettled) busy.delete(one.purchase);
      else void applyAlone(one);
    }
    applyWaiting();
  }

  async function applyAlone({ event, span, purchase, resolve, reject }: Waiting): Promise<void> {
    await inSpanOf(span, () => applyEvent(billing, event)).then(resolve, reject);
    busy.delete(purchase);
    applyWaiting();
  }

  return {
    apply: async (event, deadline = createDeadline(MAX_WAIT_MS)) => {
      const receipt = receiptOf(event);
      // Refunds and disputes are few, and name their payment in another way.
      if (receipt === null) return applyEvent(billing, event);
      if (waiting.size + busy.size >= MAX_EVENTS)
        throw serviceUnavailable('too many events of payments are in the queue already');
      const { promise, resolve, reject } = Promise.withResolvers<EventOutcome>();
      const one = { event, span: currentSpan(), purchase: purchaseName(receipt.purchase), resolve, reject };
      waiting.add(one);
      applyWaiting();
      if (!waiting.has(one)) return promise;
      const signal = deadline.signal(MAX_WAIT_MS);
      const giveUp = () => {
        if (waiting.delete(one)) reject(serviceUnavailable('no turn in time for an event of a payment'));
      };
      signal.addEventListener('abort', giveUp, { once: true });
      return promise.finally(() => signal.removeEventListener('abort', giveUp));
    },
  };
}

/** Takes the first waiting event of each purchase that is not busy, and makes these purchases busy. In an order that all replicas share. */
function nextBatch(waiting: Set<Waiting>, busy: Set<string>): readonly Waiting[] {
  const batch: Waiting[] = [];
  for (const one of waiting) {
    if (batch.length === MAX_AT_ONCE) break;
    if (busy.has(one.purchase)) continue;
    busy.add(one.purchase);
    waiting.delete(one);
    batch.push(one);
  }
  return batch.toSorted((a, b) => compare(a.event.mode, b.event.mode) || compare(a.purchase, b.purchase));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** False if nothing is known of the batch, and each event must be applied by itself, with longer waits for locks. */
async function applyTogether(
  billing: Billing,
  batch: readonly Waiting[],
  lockWaitMs: number,
): Promise<boolean> {
  try {
    const outcomes = await applyEvents(billing, batch, lockWaitMs);
    for (const [place, outcome] of outcomes.entries()) batch[place]?.resolve(outcome);
    return true;
  } catch (error) {
    // A fault of one event, such as a held lock, must not refuse the others. If the answer was lost, each was seen before.
    if (batch.length > 1 || isBlocked(error)) return false;
    batch[0]?.reject(error);
    return true;
  }
}
