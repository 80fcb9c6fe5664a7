/**
 * Charges wait here, in memory, while the statements before them are under way, and the next statement books those that wait, of whatever
 * balances: many charges share a round trip and a commit. Of one balance only one batch is under way, so its charges keep their order.
 */
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import type { ChargeReply } from '@offer-ads/contracts/internal/billing-api';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import { isBlocked } from '@offer-ads/platform/postgres/postgres';
import { serviceUnavailable, tooManyRequests } from '@offer-ads/platform/process/faults';
import type { Billing } from '../billing.ts';
import type { Sale } from '../domain/payments/offer-payment.ts';
import { balanceSubject } from './balance-events.ts';
import { chargeNew, chargeOffer, decideCharge } from './charge-offer.ts';
import type { Charge } from './charges-store.ts';

/**
 * The charges of a balance that are under way or wait: what a slow machine does in two seconds (decision 161, bounded queues). One more is
 * answered with 429, because it concerns one balance: on a 503, offers would treat billing as down.
 */
const MAX_OF_A_BALANCE = 64;
/** So many take Postgres about as long as one sync of the disk. More in one statement would only make the first of them wait. */
const MAX_AT_ONCE = 16;
/** While the commit of one waits for the disk, Postgres works on the other. With more, batches would be smaller. */
const STATEMENTS_AT_ONCE = 2;
/** How long the charges of a batch wait for a lock that one of them needs. Others hold it for a commit, unless something is wrong. */
const LOCK_WAIT_MS = 100;

type Charging = Pick<Billing, 'postgres' | 'meters'>;
type Waiting = Charge & {
  readonly queue: Queue;
  readonly resolve: (reply: ChargeReply) => void;
  readonly reject: (error: unknown) => void;
};
/** The charges of a balance. `size` counts those under way too; `busy`: some are under way. */
type Queue = { size: number; busy: boolean; readonly waiting: Set<Waiting> };

export type ChargeQueue = {
  /** @throws {Fault} 429 when the queue is full, or the deadline passes while the charge waits for others of its balance */
  readonly charge: (sale: Sale, at: Date, deadline?: Deadline) => Promise<ChargeReply>;
};

export function createChargeQueue(billing: Charging): ChargeQueue {
  const queues = new Map<string, Queue>();
  let statements = 0;

  function bookWaiting(): void {
    while (statements < STATEMENTS_AT_ONCE) {
      const batch = nextBatch(queues);
      if (batch.length === 0) return;
      void book(batch);
    }
  }

  /** Settles every charge of the batch; never throws. */
  async function book(batch: readonly Waiting[]): Promise<void> {
    statements += 1;
    const decide = await bookTogether(billing, batch);
    // Requests that have arrived meanwhile join the next batch.
    await turnOfLoop();
    statements -= 1;
    for (const [queue, charges] of Map.groupBy(batch, (one) => one.queue)) {
      const release = () => {
        queue.size -= charges.length;
        queue.busy = false;
      };
      if (decide === undefined) release();
      else void bookOneByOne(billing, charges, decide).then(release).then(bookWaiting);
    }
    bookWaiting();
  }

  return {
    charge: async (sale, at, deadline) => {
      const key = balanceSubject(sale.book);
      const queue = queues.get(key) ?? { size: 0, busy: false, waiting: new Set() };
      if (queue.size >= MAX_OF_A_BALANCE)
        throw tooManyRequests(`${queue.size} charges are in the queue already`);
      queues.set(key, queue);
      queue.size += 1;
      const { promise, resolve, reject } = Promise.withResolvers<ChargeReply>();
      const waiting = { sale, at, deadline, queue, resolve, reject };
      queue.waiting.add(waiting);
      bookWaiting();
      if (!queue.waiting.has(waiting)) return promise;
      const signal = deadline?.signal(Number.MAX_SAFE_INTEGER);
      const giveUp = () => {
        if (!queue.waiting.delete(waiting)) return;
        queue.size -= 1;
        const fault = queue.busy ? tooManyRequests : serviceUnavailable;
        reject(fault('no turn in time for a charge'));
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      return promise.finally(() => signal?.removeEventListener('abort', giveUp));
    },
  };
}

/** Takes waiting charges of balances that are not busy, and makes these busy. Balances take turns; those without charges are forgotten. */
function nextBatch(queues: Map<string, Queue>): readonly Waiting[] {
  const batch: Waiting[] = [];
  for (const [key, queue] of queues) {
    if (batch.length === MAX_AT_ONCE) break;
    if (queue.size === 0) queues.delete(key);
    if (queue.busy || queue.waiting.size === 0) continue;
    for (const one of [...queue.waiting].slice(0, MAX_AT_ONCE - batch.length)) {
      queue.waiting.delete(one);
      batch.push(one);
    }
    queue.busy = true;
    // Its turn comes again after the others'.
    queues.delete(key);
    queues.set(key, queue);
  }
  return batch;
}

type Decide = (billing: Charging, charge: Charge, lockWaitMs?: number) => Promise<ChargeReply>;

/** @returns undefined when all are charged; otherwise each must be decided by itself in this way */
async function bookTogether(billing: Charging, batch: readonly Waiting[]): Promise<Decide | undefined> {
  try {
    const replies = await chargeNew(billing, batch, LOCK_WAIT_MS);
    if (replies === undefined) return batch.length === 1 ? decideCharge : chargeOffer;
    replies.forEach((reply, place) => {
      batch[place]?.resolve(reply);
    });
    return undefined;
  } catch {
    // A fault of one charge, such as a held lock or its deadline, must not refuse the others. If the answer was lost, each is a repeat.
    return chargeOffer;
  }
}

/** Charges of one balance in their order; but one for which a lock is held does not keep the others waiting. */
async function bookOneByOne(billing: Charging, charges: readonly Waiting[], decide: Decide): Promise<void> {
  const blocked: Waiting[] = [];
  for (const one of charges) {
    await decide(billing, one, LOCK_WAIT_MS).then(one.resolve, (error: unknown) => {
      if (isBlocked(error)) blocked.push(one);
      else one.reject(error);
    });
  }
  for (const one of blocked) await chargeOffer(billing, one).then(one.resolve, one.reject);
}
