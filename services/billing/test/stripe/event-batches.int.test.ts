/** Events of payments that come while others are under way are applied together. */
import { describe, expect, it } from '@jest/globals';
import { OfferPaid } from '@offer-ads/contracts/events/billing';
import { createDeadline } from '@offer-ads/platform/calls/deadline';
import type { Postgres, Transaction } from '@offer-ads/platform/postgres/postgres';
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import { currentSpan, inSpan, startTracing } from '@offer-ads/platform/telemetry/traces';
import { runs } from '@offer-ads/testing/profile';
import type { Billing } from '../../src/billing.ts';
import type { Book } from '../../src/domain/ledger/ledger.ts';
import type { ProviderEvent } from '../../src/stripe/read-event.ts';
import { readWebhook } from '../../src/stripe/webhooks.ts';
import { createEventQueue } from '../../src/webhooks/event-queue.ts';
import { useBilling, type Webhook } from '../billing-under-test.ts';
import { inTens } from '../in-tens.ts';

const test = useBilling();

type Unheard = { readonly offerId: number; readonly book: Book; readonly event: ProviderEvent };

/** Longer than any wait that is not a deadlock. */
const PATIENT_MS = 60_000;

function eventIn({ body, signature }: Webhook): ProviderEvent {
  const reading = readWebhook(test.billing.stripe, body, signature, test.clock.now());
  if (!reading.ok) throw new Error(reading.reason);
  return reading.event;
}

/** A payment whose event billing has not received, of a book with accounts. */
async function unheard(book = test.newBook()): Promise<Unheard> {
  const { offerId, sessionId } = await test.openOffer({ book });
  return { offerId, book, event: eventIn(await test.payUnheard(sessionId)) };
}
const several = (count: number, bookAt: (place: number) => Book | undefined = () => undefined) =>
  inTens(count, (place) => unheard(bookAt(place)));

/** Billing that lists how its transactions ended. `work` stands between billing and a transaction. */
function listing(
  work: (postgres: Postgres, ...asked: Parameters<Postgres['transaction']>) => Promise<unknown> = (
    postgres,
    ...asked
  ) => postgres.transaction(...asked),
) {
  const ends: string[] = [];
  const { postgres } = test.billing;
  const transaction = (async (...asked: Parameters<Postgres['transaction']>) => {
    try {
      const result = await work(postgres, ...asked);
      ends.push('committed');
      return result;
    } catch (error) {
      ends.push(`failed: ${(error as Error).message}`);
      throw error;
    }
  }) as Postgres['transaction'];
  const billing: Billing = { ...test.billing, postgres: { ...postgres, transaction } };
  return { billing, ends };
}

async function tracesOf(offerId: number): Promise<number[]> {
  const count = async (table: string) =>
    (await test.billing.postgres.query(`SELECT FROM ${table} WHERE offer_id = $1`, [offerId])).length;
  const emitted = (await test.emitted(OfferPaid, { offerId })).length;
  return [await count('transactions'), await count('invoices'), emitted];
}
async function expectBookedOnce(payments: readonly Unheard[]): Promise<void> {
  for (const { offerId } of payments)
    expect([offerId, await tracesOf(offerId)]).toEqual([offerId, [1, 1, 1]]);
  for (const mode of ['TEST', 'LIVE']) {
    const rows = await test.billing.postgres.query<{ sequence: bigint }>(
      'SELECT sequence FROM invoices WHERE mode = $1 ORDER BY sequence',
      [mode],
    );
    expect(rows.map(({ sequence }) => Number(sequence))).toEqual(rows.map((_, index) => index + 1));
  }
}

const lockPaymentsOf = (tx: Transaction, payments: readonly Unheard[]) =>
  tx.query('SELECT FROM offer_payments WHERE offer_id = ANY ($1) ORDER BY offer_id FOR UPDATE', [
    payments.map(({ offerId }) => offerId),
  ]);

describe('events of payments that come while others are under way', () => {
  it('share one transaction, and each payment has its posting, its invoice and its event', async () => {
    const payments = await several(6);
    const { billing, ends } = listing();
    const queue = createEventQueue(billing, PATIENT_MS);
    const outcomes = await Promise.all(payments.map(({ event }) => queue.apply(event)));
    expect(outcomes).toEqual(payments.map(() => 'paid'));
    // The first two alone, the other four together.
    expect(ends).toEqual(['committed', 'committed', 'committed']);
    await expectBookedOnce(payments);
  });

  it('are each applied in the trace of their own request', async () => {
    startTracing();
    const payments = await several(6);
    const queue = createEventQueue(test.billing, PATIENT_MS);
    const requests = payments.map(({ event }) =>
      inSpan({ kind: 'SERVER', name: 'webhook', parent: null }, async () => ({
        traceId: currentSpan()?.traceId,
        outcome: await queue.apply(event),
      })),
    );
    for (const [place, { traceId }] of (await Promise.all(requests)).entries()) {
      const [stored] = await test.billing.postgres.query<{ traceparent: string }>(
        `SELECT event->'trace'->>'traceparent' AS traceparent FROM outbox WHERE event->'data'->>'offerId' = $1`,
        [`${payments[place]?.offerId}`],
      );
      expect(stored?.traceparent.split('-')[1]).toBe(traceId);
    }
  });

  it('are applied one after the other if they are the same event, or of the same checkout', async () => {
    const payments = await several(4);
    const { billing, ends } = listing();
    const queue = createEventQueue(billing, PATIENT_MS);
    const events = payments.map(({ event }) => event);
    const [twice] = events.slice(2) as [ProviderEvent];
    const another = { ...twice, eventId: `${twice.eventId}_another` };
    const outcomes = await Promise.all([...events, twice, another].map((event) => queue.apply(event)));
    expect(outcomes).toEqual(['paid', 'paid', 'paid', 'paid', 'seen-before', 'paid-before']);
    // Two alone, two together, and the two others one after the other.
    expect(ends).toEqual(Array(5).fill('committed'));
    await expectBookedOnce(payments);
  });

  it('are booked although one of them cannot be stored', async () => {
    const payments = await several(6);
    const queue = createEventQueue(test.billing);
    const answers = await Promise.allSettled(
      payments.map(({ event }, place) => queue.apply(place === 3 ? { ...event, type: '\u0000' } : event)),
    );
    const bad = payments[3] as Unheard;
    expect(answers.map(({ status }) => status)).toEqual(
      payments.map((one) => (one === bad ? 'rejected' : 'fulfilled')),
    );
    await expectBookedOnce(payments.filter((one) => one !== bad));
    expect(await tracesOf(bad.offerId)).toEqual([0, 0, 0]);
    expect(await queue.apply(bad.event)).toBe('paid');
    await expectBookedOnce(payments);
  });

  it('are booked while the payment of one of them is locked', async () => {
    const payments = await several(6);
    const blocked = payments[3] as Unheard;
    const queue = createEventQueue(test.billing);
    let isLate = true;
    let late: Promise<unknown> | undefined;
    await test.billing.postgres.transaction(async (tx) => {
      await lockPaymentsOf(tx, [blocked]);
      const applied = payments.map((one) => ({ one, outcome: queue.apply(one.event) }));
      late = applied[3]?.outcome.finally(() => {
        isLate = false;
      });
      for (const { one, outcome } of applied) if (one !== blocked) expect(await outcome).toBe('paid');
      expect(isLate).toBe(true);
    });
    await late;
    await expectBookedOnce(payments);
  });

  it.each([
    ['before the commit', 'rolled back'],
    ['after the commit', 'committed'],
  ])('are booked once when the connection is lost %s', async (_when, end) => {
    const payments = await several(6);
    let transactions = 0;
    const { billing, ends } = listing(async (postgres, work, deadline) => {
      transactions += 1;
      const isLost = transactions === 3;
      const lost = serviceUnavailable('postgres: the connection was lost');
      const result = await postgres.transaction(async (tx) => {
        const worked = await work(tx);
        if (isLost && end === 'rolled back') throw lost;
        return worked;
      }, deadline);
      if (isLost) throw lost;
      return result;
    });
    const queue = createEventQueue(billing, PATIENT_MS);
    const outcomes = await Promise.all(payments.map(({ event }) => queue.apply(event)));
    const again = end === 'committed' ? 'seen-before' : 'paid';
    expect(outcomes).toEqual(['paid', 'paid', again, again, again, again]);
    expect(ends.filter((one) => one.includes('was lost'))).toHaveLength(1);
    await expectBookedOnce(payments);
  });

  it('are refused with 503 when their deadline passes before they are under way, or when too many wait', async () => {
    const payments = await several(4);
    const [first, second, late, last] = payments as [Unheard, Unheard, Unheard, Unheard];
    const queue = createEventQueue(test.billing, PATIENT_MS);
    const applied: Promise<unknown>[] = [];
    await test.billing.postgres.transaction(async (tx) => {
      await lockPaymentsOf(tx, [first, second]);
      applied.push(...[first, second, last].map(({ event }) => queue.apply(event)));
      await expect(queue.apply(late.event, createDeadline(0))).rejects.toMatchObject({ status: 503 });
      // 256 may be under way or wait.
      const more = Array.from({ length: 254 }, () => queue.apply(late.event, createDeadline(0)));
      expect((await Promise.allSettled(more)).map(({ status }) => status)).toEqual(
        Array(254).fill('rejected'),
      );
      const reasons = (await Promise.allSettled(more)).map((one) =>
        String((one as PromiseRejectedResult).reason),
      );
      expect(reasons.filter((reason) => reason.includes('too many'))).toHaveLength(1);
    });
    expect(await Promise.all(applied)).toEqual(['paid', 'paid', 'paid']);
    expect(await tracesOf(late.offerId)).toEqual([0, 0, 0]);
    // Stripe sends it again.
    expect(await queue.apply(late.event)).toBe('paid');
    await expectBookedOnce(payments);
  });
});

describe('at two replicas', () => {
  /** No transaction may fail: a deadlock would be an error of one. */
  async function applyAtBoth(first: readonly Unheard[], second: readonly Unheard[]) {
    const replicas = [listing(), listing()] as const;
    const outcomes = await Promise.all(
      [first, second].flatMap((payments, place) => {
        const queue = createEventQueue((replicas[place] as (typeof replicas)[0]).billing, PATIENT_MS);
        return payments.map(({ event }) => queue.apply(event, createDeadline(PATIENT_MS)));
      }),
    );
    const ends = replicas.flatMap(({ ends }) => ends);
    expect(ends).toEqual(ends.map(() => 'committed'));
    expect(ends.length).toBeLessThan(outcomes.length / 2);
    return outcomes;
  }

  it('the same events in opposite orders and both modes are booked once each, and no two wait for each other', async () => {
    for (let round = 0; round < runs(3, 30); round += 1) {
      const payments = await several(34, (place) =>
        test.newBook({ mode: place % 2 === 0 ? 'TEST' : 'LIVE' }),
      );
      const outcomes = await applyAtBoth(payments, payments.toReversed());
      expect(outcomes.filter((outcome) => outcome === 'paid')).toHaveLength(34);
      expect(outcomes.filter((outcome) => outcome === 'seen-before')).toHaveLength(34);
      await expectBookedOnce(payments);
    }
  }, 120_000);

  it('payments of the same balances, which come in opposite orders, are booked, and no two wait for each other', async () => {
    const books = await inTens(16, () => test.fundedBook());
    for (let round = 0; round < runs(3, 30); round += 1) {
      const first = await several(34, (place) => books[place % 16]);
      const second = await several(34, (place) => books[15 - (place % 16)]);
      const outcomes = await applyAtBoth(first, second);
      expect(outcomes).toEqual(Array(68).fill('paid'));
      await expectBookedOnce([...first, ...second]);
    }
  }, 120_000);
});
