import { beforeEach, describe, expect, it } from '@jest/globals';
import { OfferPaid } from '@offer-ads/contracts/events/billing';
import { DAY_MS } from '@offer-ads/contracts/values/durations';
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import type { Billing } from '../../src/billing.ts';
import type { Book } from '../../src/domain/ledger/ledger.ts';
import { billingMeters } from '../../src/meters.ts';
import { readStatement } from '../../src/statement/read-statement.ts';
import { findMissedEvents } from '../../src/webhooks/find-missed-events.ts';
import { latestProblems } from '../../src/webhooks/provider-events-store.ts';
import { MINUTE_MS, useBilling } from '../billing-under-test.ts';
import { inTens } from '../in-tens.ts';
import { watched, withQuery } from '../watched-billing.ts';

const test = useBilling();
let billing: Billing;
let log: Record<string, unknown>[];
beforeEach(() => {
  ({ billing, log } = watched(test.billing));
});

const find = (signal: AbortSignal = new AbortController().signal) => findMissedEvents(billing, signal);

/** A round, when one is due. */
async function findLater(): Promise<void> {
  test.clock.advance(11 * MINUTE_MS);
  await find();
}

const paidOffer = (facts: Partial<Book> = {}) => test.paidOffer({ book: test.newBook(facts) });
const linesOf = async (book: Book) =>
  (await readStatement(billing.postgres, book, { limit: 200 })).entries.map(({ kind, card }) => ({
    kind,
    net: card?.netMinor,
  }));
const refund = { kind: 'card-refund', net: '-500' };
const payment = { kind: 'offer-card-payment', net: '1000' };
const isFound = async (id: string) => (await test.findReversal(id)) !== undefined;
const listCalls = () => test.requests.filter(({ path }) => path.startsWith('/v1/events'));
const alerts = (id: string) =>
  log.filter(({ level, reversalId }) => level === 'error' && reversalId === id).length;
const logged = (text: string) => log.filter(({ msg }) => (msg as string).includes(text)).length;

/** Makes a refund of 5.00 whose webhook is lost for ever. */
async function lostRefund(offer: { readonly sessionId: string }): Promise<string> {
  await test.setFaults({ lose: true });
  return test.reverse(`sessions/${offer.sessionId}/refund`, { amountMinor: 500 });
}

describe('a refund whose webhook is lost', () => {
  it.each(['TEST', 'LIVE'] as const)(
    'is found by asking, in %s mode: recorded, posted and alerted once',
    async (mode) => {
      const offer = await paidOffer({ mode });
      const id = await lostRefund(offer);
      await findLater();
      await findLater();
      const reversal = { mode, amountMinor: 500n, takenPosted: true };
      expect(await test.findReversal(id)).toMatchObject({ offerId: offer.offerId, ...reversal });
      expect(await linesOf(offer.book)).toEqual([refund, payment]);
      expect([alerts(id), logged('whose webhook never came')]).toEqual([1, 1]);
    },
  );

  it('after it was accepted is found too, and the webhook that comes later changes nothing', async () => {
    const offer = await paidOffer();
    const webhook = await test.unheard(async () => {
      const id = await test.reverse(`sessions/${offer.sessionId}/refund`, { amountMinor: 500 });
      return { id, late: await test.sentWebhook(id) };
    });
    await findLater();
    expect(await isFound(webhook.id)).toBe(true);
    test.clock.advance(-11 * MINUTE_MS);
    expect(await test.receive(webhook.late, billing)).toBe('accepted');
    test.clock.advance(11 * MINUTE_MS);
    expect(await linesOf(offer.book)).toEqual([refund, payment]);
    expect(alerts(webhook.id)).toBe(1);
  });

  it('is left to its webhook for ten minutes', async () => {
    const offer = await paidOffer();
    await findLater();
    test.clock.advance(MINUTE_MS);
    const id = await lostRefund(offer);
    test.clock.advance(9 * MINUTE_MS);
    await find();
    expect(await isFound(id)).toBe(false);
    await findLater();
    expect(await isFound(id)).toBe(true);
  });

  it('is found a month later, when no round ran before; an alert says when that is too late', async () => {
    const id = await lostRefund(await paidOffer());
    test.clock.advance(29 * DAY_MS);
    await find();
    expect([await isFound(id), logged('too old to be asked for')]).toEqual([true, 0]);
    test.clock.advance(31 * DAY_MS);
    await find();
    expect(logged('too old to be asked for')).toBeGreaterThan(0);
  });
});

describe('a payment from after the moment to which the database was restored', () => {
  it('is found in the list, posted once and reported to offers, if its offer is known', async () => {
    const offer = await test.openOffer();
    await test.payUnheard(offer.sessionId);
    // Its session is not asked about, as if billing did not know it.
    await billing.postgres.query('UPDATE payments SET next_check_at = NULL WHERE offer_id = $1', [
      offer.offerId,
    ]);
    await findLater();
    await findLater();
    expect(await linesOf(offer.book)).toEqual([payment]);
    expect(await test.emitted(OfferPaid, { offerId: offer.offerId })).toHaveLength(1);
  });

  it('has the date on which it was paid, also weeks later; the ledger says when it was booked', async () => {
    const offer = await test.openOffer();
    const topUp = await test.openTopUp();
    const paidAt = new Date(Math.floor(test.clock.now().getTime() / 1_000) * 1_000);
    for (const { sessionId } of [offer, topUp]) await test.payUnheard(sessionId);
    await billing.postgres.query('UPDATE payments SET next_check_at = NULL');
    test.clock.advance(20 * DAY_MS);
    await find();
    const now = test.clock.now();
    const dates = await billing.postgres.query(
      `SELECT i.paid_at, issued_at, booked_at FROM invoices i JOIN transactions USING (cause)
        WHERE i.organisation_id = ANY ($1)`,
      [[offer.book.organisationId, topUp.book.organisationId]],
    );
    const expected = { paid_at: paidAt, issued_at: now, booked_at: now };
    expect(dates).toEqual([expected, expected]);
    expect((await test.checkout(offer)).paidAt).toEqual(paidAt);
    const events = await test.emitted(OfferPaid, { offerId: offer.offerId });
    expect(events).toMatchObject([{ paidAt: paidAt.toISOString() }]);
  });

  it('is stored for a person, once, if its offer is unknown', async () => {
    const { offerId, sessionId } = await test.openOffer();
    await test.payUnheard(sessionId);
    await billing.postgres.query('DELETE FROM payments WHERE offer_id = $1', [offerId]);
    await findLater();
    await findLater();
    const problems = (await latestProblems(billing.postgres, 500)).filter(
      (one) => one.sessionId === sessionId,
    );
    expect(problems).toMatchObject([{ problem: 'unknown-purchase', offerId, amountMinor: 1200n }]);
  });
});

it('a dispute whose webhooks are all lost is posted as taken and, when it was won, as returned', async () => {
  const offer = await paidOffer();
  await test.setFaults({ lose: true });
  const id = await test.reverse(`sessions/${offer.sessionId}/dispute`);
  await test.reverse(`disputes/${id}/close`, { outcome: 'won' });
  await findLater();
  const won = { status: 'won', returnedPosted: true };
  expect(await test.findReversal(id)).toMatchObject(won);
  expect(await linesOf(offer.book)).toEqual([
    { kind: 'card-dispute-won', net: '1200' },
    { kind: 'card-dispute', net: '-1200' },
    payment,
  ]);
});

it('replicas that start a round at once ask once, and post once', async () => {
  const offer = await paidOffer();
  await lostRefund(offer);
  test.clock.advance(11 * MINUTE_MS);
  const before = listCalls().length;
  await Promise.all([find(), find(), find()]);
  expect(listCalls()).toHaveLength(before + 2);
  expect(await linesOf(offer.book)).toEqual([refund, payment]);
});

it('a list of many pages is read to its end, also after a round that was stopped between two of them', async () => {
  const offer = await paidOffer();
  await findLater();
  await test.setFaults({ lose: true });
  await inTens(210, () => test.reverse(`sessions/${offer.sessionId}/refund`, { amountMinor: 1 }));
  test.clock.advance(11 * MINUTE_MS);
  const posted = async () => {
    const [row] = await billing.postgres.query<{ count: bigint }>(
      `SELECT count(*) FROM transactions WHERE organisation_id = $1 AND kind = 'card-refund'`,
      [offer.book.organisationId],
    );
    return row?.count;
  };
  const stopping = new AbortController();
  billing = withEvents((event) => {
    stopping.abort();
    return event;
  });
  await find(stopping.signal);
  expect(await posted()).toBe(100n);
  await findLater();
  expect(await posted()).toBe(210n);
});

it('a list that cannot be read is read later, and an event that the database refuses does not stop the others', async () => {
  const [offer, other] = [await paidOffer(), await paidOffer()];
  const [id, otherId] = [await lostRefund(offer), await lostRefund(other)];
  await test.setFaults({ failList: 'declined' });
  const { readUpTo } = billingMeters(createMetrics('billing'));
  billing = { ...billing, meters: { ...billing.meters, readUpTo } };
  await findLater();
  expect(await isFound(id)).toBe(false);
  // A replica whose first reading fails exports the metric too.
  const { values } = await readUpTo.get();
  expect(new Set(values.map(({ labels }) => labels['mode']))).toEqual(new Set(['TEST', 'LIVE']));
  await test.setFaults({});
  await billing.postgres.query(
    `ALTER TABLE card_reversals ADD CONSTRAINT refuse CHECK (reversal_id <> '${id}') NOT VALID`,
  );
  try {
    await findLater();
  } finally {
    await billing.postgres.query('ALTER TABLE card_reversals DROP CONSTRAINT refuse');
  }
  expect([await isFound(id), await isFound(otherId)]).toEqual([false, true]);
  await findLater();
  expect(await isFound(id)).toBe(true);
});

it('an event that could not be applied while a store was away is found later, however old it is', async () => {
  const id = await lostRefund(await paidOffer());
  // Longer than the part of the list that is read twice.
  test.clock.advance(180 * MINUTE_MS);
  const working = billing;
  billing = withQuery(working, async (on, statement, values) => {
    const sql = typeof statement === 'string' ? statement : statement.sql;
    if (sql.includes('card_reversals')) throw serviceUnavailable('the store is away');
    return on.query(statement, values);
  });
  await find();
  expect(await isFound(id)).toBe(false);
  billing = working;
  await findLater();
  expect(await isFound(id)).toBe(true);
});

type ListedEvent = { readonly type: string; readonly data: { readonly object: object } };
/** Billing to which Stripe lists its TEST events changed. */
function withEvents(change: (event: ListedEvent) => ListedEvent): Billing {
  const { TEST } = billing.stripe;
  const list = async (...call: Parameters<typeof TEST.client.events.list>) => {
    const page = await TEST.client.events.list(...call);
    return { ...page, data: page.data.map(change) };
  };
  const client = { events: { list } } as unknown as typeof TEST.client;
  return { ...billing, stripe: { ...billing.stripe, TEST: { ...TEST, client } } };
}

it('an event of a session of the other mode is kept and alerted once, and pays nothing', async () => {
  const offer = await test.openOffer();
  await test.payUnheard(offer.sessionId);
  await billing.postgres.query('UPDATE payments SET next_check_at = NULL');
  billing = withEvents((event) => ({ ...event, data: { object: { ...event.data.object, livemode: true } } }));
  await findLater();
  await findLater();
  expect(await linesOf(offer.book)).toEqual([]);
  const kept = await billing.postgres.query(`SELECT FROM provider_events WHERE outcome = 'not-applied'`);
  expect(kept.length).toBeGreaterThan(0);
  expect(logged('an event of the card provider cannot be applied')).toBe(kept.length);
  await billing.postgres.query(`DELETE FROM provider_events WHERE outcome = 'not-applied'`);
});

it('an event that cannot be read does not stop the others, is alerted once, and is applied when it can be read', async () => {
  const offer = await paidOffer();
  await findLater();
  await test.setFaults({ lose: true });
  const refundId = await test.reverse(`sessions/${offer.sessionId}/refund`, { amountMinor: 500 });
  const disputeId = await test.reverse(`sessions/${offer.sessionId}/dispute`, { amountMinor: 100 });
  const readable = billing;
  billing = withEvents((event) =>
    event.type.startsWith('charge.dispute')
      ? { ...event, data: { object: { ...event.data.object, balance_transactions: undefined } } }
      : event,
  );
  await findLater();
  await findLater();
  expect([await isFound(refundId), await isFound(disputeId)]).toEqual([true, false]);
  const unread = await billing.postgres.query(`SELECT FROM provider_events WHERE outcome = 'not-applied'`);
  expect(unread.length).toBeGreaterThan(0);
  expect(logged('an event of the card provider cannot be applied')).toBe(unread.length);
  const read = await billing.postgres.query<{ read_up_to: Date }>(
    `SELECT read_up_to FROM event_readings WHERE mode = 'TEST'`,
  );
  expect(read).toEqual([{ read_up_to: new Date(test.clock.now().getTime() - 10 * MINUTE_MS) }]);

  billing = readable;
  await findLater();
  expect(await isFound(disputeId)).toBe(true);
  expect(await billing.postgres.query(`SELECT FROM provider_events WHERE outcome = 'not-applied'`)).toEqual(
    [],
  );
});
