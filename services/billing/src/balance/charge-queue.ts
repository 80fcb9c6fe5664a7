/**
 * Charges of one balance, in their order. While one statement is under way, later charges of the same balance wait here, in memory, and the
 * next statement books all of them: a busy balance waits for the disk once for many charges.
 */
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import type { ChargeReply } from '@offer-ads/contracts/internal/billing-api';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import { isTooLate } from '@offer-ads/platform/postgres/postgres';
import { isServiceUnavailable, tooManyRequests } from '@offer-ads/platform/process/faults';
import type { Billing } from '../billing.ts';
import type { Sale } from '../domain/payments/offer-payment.ts';
import { balanceSubject } from './balance-events.ts';
import { chargeNew, chargeOffer } from './charge-offer.ts';
import type { Charge } from './charges-store.ts';

/**
 * The charges of a balance that are under way or wait: what a slow machine does in two seconds (decision 161, bounded queues). One more is
 * answered with 429, because it concerns one balance: on a 503, offers would treat billing as down.
 */
const MAX_OF_A_BALANCE = 64;
/** So many take Postgres about as long as one sync of the disk. More in one statement would only make the first of them wait. */
const MAX_AT_ONCE = 16;

type Charging = Pick<Billing, 'postgres' | 'meters'>;
type Waiting = Charge & {
  readonly resolve: (reply: ChargeReply) => void;
  readonly reject: (error: unknown) => void;
};
/** `size` counts those under way too. */
type Queue = { size: number; readonly waiting: Set<Waiting> };

export type ChargeQueue = {
  /** @throws {Fault} 429 when the queue is full, or the deadline passes while the charge waits */
  readonly charge: (sale: Sale, at: Date, deadline?: Deadline) => Promise<ChargeReply>;
};

export function createChargeQueue(billing: Charging): ChargeQueue {
  const queues = new Map<string, Queue>();

  /** Books what waits, batch after batch, until nothing does. */
  async function drain(key: string, queue: Queue): Promise<void> {
    while (queue.waiting.size > 0) {
      const batch = [...queue.waiting].slice(0, MAX_AT_ONCE);
      for (const one of batch) queue.waiting.delete(one);
      await book(billing, batch);
      queue.size -= batch.length;
      // Requests that have arrived meanwhile join the next batch.
      await turnOfLoop();
    }
    queues.delete(key);
  }

  return {
    charge: async (sale, at, deadline) => {
      const key = balanceSubject(sale.book);
      const known = queues.get(key);
      const queue = known ?? { size: 0, waiting: new Set() };
      if (queue.size >= MAX_OF_A_BALANCE)
        throw tooManyRequests(`${queue.size} charges are in the queue already`);
      queue.size += 1;
      const { promise, resolve, reject } = Promise.withResolvers<ChargeReply>();
      const waiting = { sale, at, deadline, resolve, reject };
      queue.waiting.add(waiting);
      if (known === undefined) {
        queues.set(key, queue);
        void drain(key, queue);
        return promise;
      }
      const signal = deadline?.signal(Number.MAX_SAFE_INTEGER);
      const giveUp = () => {
        if (!queue.waiting.delete(waiting)) return;
        queue.size -= 1;
        reject(tooManyRequests('no turn in time for a charge'));
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      return promise.finally(() => signal?.removeEventListener('abort', giveUp));
    },
  };
}

/** Settles every charge of the batch; never throws. */
async function book(billing: Charging, batch: readonly Waiting[]): Promise<void> {
  if (batch.length > 1 && (await bookTogether(billing, batch))) return;
  for (const { sale, at, deadline, resolve, reject } of batch)
    await chargeOffer(billing, sale, at, deadline).then(resolve, reject);
}

/** False if nothing was charged, and each charge must be decided by itself. */
async function bookTogether(billing: Charging, batch: readonly Waiting[]): Promise<boolean> {
  try {
    const replies = await chargeNew(billing, batch);
    replies?.forEach((reply, place) => {
      batch[place]?.resolve(reply);
    });
    return replies !== undefined;
  } catch (error) {
    // A fault of one charge, for example its deadline, must not refuse the others.
    if (!isServiceUnavailable(error) || isTooLate(error)) return false;
    // Postgres is away or too slow for all of them, and what it has done is not known.
    for (const { reject } of batch) reject(error);
    return true;
  }
}
