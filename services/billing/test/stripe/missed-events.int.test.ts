import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OfferPaid } from '@offer-ads/contracts/events/billing';
import { createLogger } from '@offer-ads/platform/telemetry/logging';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { Billing } from '../../src/billing.ts';
import type { Book } from '../../src/domain/ledger/ledger.ts';
import { billingMeters } from '../../src/meters.ts';
import { latestReversals } from '../../src/reversals/reversals-store.ts';
import { readStatement } from '../../src/statement/read-statement.ts';
import { findMissedEvents } from '../../src/webhooks/find-missed-events.ts';
import { latestProblems } from '../../src/webhooks/provider-events-store.ts';
import { receiveWebhook } from '../../src/webhooks/receive-webhook.ts';
import { type BillingUnderTest, startBillingUnderTest } from '../billing-under-test.ts';

const MINUTE_MS = 60_000;

let test: BillingUnderTest;
let billing: Billing;
let log: { level: string; msg: string; reversalId?: string }[];
beforeAll(async () => {
  test = await startBillingUnderTest();
});
beforeEach(() => {
  log = [];
  const destination = { write: (line: string) => void log.push(JSON.parse(line) as (typeof log)[number]) };
  const logger = createLogger({ service: 'billing', level: 'info', destination });
  billing = { ...test.billing, logger };
});
afterEach(async () => {
  test.webhooks.lost = false;
  await test.setFaults({});
});
afterAll(() => test.finish());

const find = (signal: AbortSignal = new AbortController().signal) => findMissedEvents(billing, signal);

/** A round of which it is time. */
async function findLater(): Promise<void> {
  test.clock.advance(11 * MINUTE_MS);
  await find();
}

async function paidOffer(facts: Partial<Book> = {}) {
  const offer = await test.openOffer({ book: test.newBook(facts) });
  await test.pay(offer.sessionId);
  const isPaid = async () => (await test.cardPayment(offer.offerId)).checkout.paidAt !== null;
  await eventually(async () => expect(await isPaid()).toBe(true));
  return offer;
}

const linesOf = async (book: Book) =>
  (await readStatement(billing.postgres, book, { limit: 200 })).entries.map(({ kind, card }) => ({
    kind,
    net: card?.netMinor,
  }));
const listed = async (id: string) =>
  (await latestReversals(billing.postgres, 500)).filter(({ reversal }) => reversal.reversalId === id);
const listCalls = () => test.requests.filter(({ path }) => path.startsWith('/v1/events'));
const alerts = (id: string) => log.filter(({ level, reversalId }) => level === 'error' && reversalId === id);

describe('a refund whose webhook is lost for ever', () => {
  it.each(['TEST', 'LIVE'] as const)(
    'is found by asking, in %s mode: on record, booked, alerted and in the statement, once',
    async (mode) => {
      const offer = await paidOffer({ mode });
      await test.setFaults({ lose: true });
      const id = await test.reverse(`sessions/${offer.sessionId}/refund`, { amountMinor: 500 });
      await findLater();
      await findLater();
      expect(await listed(id)).toMatchObject([
        { offerId: offer.offerId, reversal: { mode, amountMinor: 500n, takenPosted: true } },
      ]);
      expect(await linesOf(offer.book)).toEqual([
        { kind: 'card-refund', net: '-500' },
        { kind: 'offer-card-payment', net: '1000' },
      ]);
      expect(alerts(id)).toHaveLength(1);
      expect(log.filter(({ msg }) => msg.includes('whose webhook never came'))).toHaveLength(1);
    },
  );

  it('or was lost after it had been accepted, is found too', async () => {
    const offer = await paidOffer();
    test.webhooks.lost = true;
    const id = await test.reverse(`sessions/${offer.sessionId}/refund`);
    await eventually(() => expect(test.webhooks.sent.some(({ body }) => body.includes(id))).toBe(true));
    await findLater();
    expect(await listed(id)).toHaveLength(1);
    const late = test.webhooks.sent.find(({ body }) => body.includes(id));
    test.clock.advance(-11 * MINUTE_MS);
    expect(await receiveWebhook(billing, late!.body, late!.signature)).toBe('accepted');
    test.clock.advance(11 * MINUTE_MS);
    expect(await linesOf(offer.book)).toHaveLength(2);
    expect(alerts(id)).toHaveLength(1);
  });

  it('is left to its webhook for ten minutes', async () => {
    const offer = await paidOffer();
    await findLater();
    await test.setFaults({ lose: true });
    test.clock.advance(MINUTE_MS);
    const id = await test.reverse(`sessions/${offer.sessionId}/refund`);
    test.clock.advance(9 * MINUTE_MS);
    await find();
    expect(await listed(id)).toEqual([]);
    await findLater();
    expect(await listed(id)).toHaveLength(1);
  });

  it('is found a month later, when nobody asked before', async () => {
    const offer = await paidOffer();
    await test.setFaults({ lose: true });
    const id = await test.reverse(`sessions/${offer.sessionId}/refund`);
    test.clock.advance(29 * 24 * 60 * MINUTE_MS);
    await find();
    expect(await listed(id)).toHaveLength(1);
    expect(log.filter(({ msg }) => msg.includes('too old to be asked for'))).toEqual([]);
    test.clock.advance(31 * 24 * 60 * MINUTE_MS);
    await find();
    expect(log.filter(({ msg }) => msg.includes('too old to be asked for'))).not.toEqual([]);
  });
});

describe('a payment that is on record no more, because the database was restored to a moment before it', () => {
  const problemsOf = async (sessionId: string) =>
    (await latestProblems(billing.postgres, 500)).filter((problem) => problem.sessionId === sessionId);

  it('of an offer that is known is found in the list, booked once and told to offers', async () => {
    const offer = await test.openOffer();
    test.webhooks.lost = true;
    await test.pay(offer.sessionId);
    // Nobody asks about its session: as if it were not known that there is one.
    await billing.postgres.query('UPDATE checkout_sessions SET next_check_at = NULL WHERE offer_id = $1', [
      offer.offerId,
    ]);
    await findLater();
    await findLater();
    expect(await linesOf(offer.book)).toEqual([{ kind: 'offer-card-payment', net: '1000' }]);
    expect((await test.emitted(OfferPaid)).filter(({ offerId }) => offerId === offer.offerId)).toHaveLength(
      1,
    );
  });

  it('of an offer that is known no more is kept for a person, once', async () => {
    const offer = await test.openOffer();
    test.webhooks.lost = true;
    await test.pay(offer.sessionId);
    await billing.postgres.query('DELETE FROM offer_payments WHERE offer_id = $1', [offer.offerId]);
    await findLater();
    await findLater();
    expect(await problemsOf(offer.sessionId)).toMatchObject([
      { problem: 'unknown-purchase', offerId: offer.offerId, amountMinor: 1200n },
    ]);
  });
});

it('a dispute none of whose webhooks came is taken and, won, returned', async () => {
  const offer = await paidOffer();
  await test.setFaults({ lose: true });
  const id = await test.reverse(`sessions/${offer.sessionId}/dispute`);
  await test.reverse(`disputes/${id}/close`, { outcome: 'won' });
  await findLater();
  expect(await listed(id)).toMatchObject([{ reversal: { status: 'won', returnedPosted: true } }]);
  expect(await linesOf(offer.book)).toEqual([
    { kind: 'card-dispute-won', net: '1200' },
    { kind: 'card-dispute', net: '-1200' },
    { kind: 'offer-card-payment', net: '1000' },
  ]);
});

it('replicas that come at once ask once, and book once', async () => {
  const offer = await paidOffer();
  await test.setFaults({ lose: true });
  await test.reverse(`sessions/${offer.sessionId}/refund`);
  test.clock.advance(11 * MINUTE_MS);
  const before = listCalls().length;
  await Promise.all([find(), find(), find()]);
  expect(listCalls()).toHaveLength(before + 2);
  expect(await linesOf(offer.book)).toHaveLength(2);
});

it('a list of many pages is read to its end, and goes on where a round was cut off', async () => {
  const offer = await paidOffer();
  await findLater();
  await test.setFaults({ lose: true });
  for (let count = 0; count < 230; count += 1) {
    await test.reverse(`sessions/${offer.sessionId}/refund`, { amountMinor: 1 });
  }
  test.clock.advance(11 * MINUTE_MS);
  const before = listCalls().length;
  // After one page of the first mode.
  let checks = 0;
  await find({
    get aborted() {
      checks += 1;
      return checks > 2;
    },
  } as AbortSignal);
  const refunds = async () => (await linesOf(offer.book)).filter(({ kind }) => kind === 'card-refund').length;
  const counted = async () =>
    Number(
      (
        await billing.postgres.query<{ count: bigint }>(
          `SELECT count(*) FROM card_reversals WHERE amount_minor = 1`,
        )
      )[0]?.count,
    );
  expect(await counted()).toBe(100);
  expect(await refunds()).toBe(100);
  test.clock.advance(MINUTE_MS);
  await find();
  expect(await counted()).toBe(230);
  const pages = listCalls()
    .slice(before)
    .map(({ path }) => path.includes('starting_after'));
  expect(pages).toEqual([false, true, true, false]);
});

it('a place that is no longer listed is begun anew', async () => {
  const offer = await paidOffer();
  await findLater();
  await test.setFaults({ lose: true });
  const id = await test.reverse(`sessions/${offer.sessionId}/refund`);
  await billing.postgres.query(
    `UPDATE event_readings SET last_event_id = 'evt_gone', stretch_to = $1, next_read_at = $1`,
    [test.clock.now()],
  );
  await find();
  await findLater();
  expect(await listed(id)).toHaveLength(1);
});

it('Stripe away keeps nothing from being found later, and a database that refuses one keeps no other', async () => {
  const offer = await paidOffer();
  const other = await paidOffer();
  await test.setFaults({ lose: true });
  const id = await test.reverse(`sessions/${offer.sessionId}/refund`);
  const otherId = await test.reverse(`sessions/${other.sessionId}/refund`);
  await test.setFaults({ failList: 'declined' });
  const { readUpTo } = billingMeters(createMetrics('billing'));
  billing = { ...billing, meters: { ...billing.meters, readUpTo } };
  await findLater();
  expect(await listed(id)).toEqual([]);
  // Also a replica that has never read it tells how far it was read.
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
  expect([await listed(id), (await listed(otherId)).length]).toEqual([[], 1]);
  await findLater();
  expect(await listed(id)).toHaveLength(1);
});

it('one that cannot be read keeps no other of the stretch, is alerted once, and applied when it can be', async () => {
  const offer = await paidOffer();
  await findLater();
  await test.setFaults({ lose: true });
  const refundId = await test.reverse(`sessions/${offer.sessionId}/refund`, { amountMinor: 500 });
  const disputeId = await test.reverse(`sessions/${offer.sessionId}/dispute`, { amountMinor: 100 });
  const readable = billing;
  const { TEST } = billing.stripe;
  const list = async (...call: Parameters<typeof TEST.client.events.list>) => {
    const page = await TEST.client.events.list(...call);
    const data = page.data.map((event) =>
      event.type.startsWith('charge.dispute')
        ? { ...event, data: { object: { ...event.data.object, balance_transactions: undefined } } }
        : event,
    );
    return { ...page, data };
  };
  const client = { events: { list } } as unknown as typeof TEST.client;
  billing = { ...billing, stripe: { ...billing.stripe, TEST: { ...TEST, client } } };
  await findLater();
  await findLater();
  expect([(await listed(refundId)).length, await listed(disputeId)]).toEqual([1, []]);
  const alerted = log.filter(({ msg }) => msg === 'an event of the card provider cannot be applied');
  const unread = await billing.postgres.query(`SELECT FROM provider_events WHERE outcome = 'not-applied'`);
  expect(unread.length).toBeGreaterThan(0);
  expect(alerted).toHaveLength(unread.length);
  const read = await billing.postgres.query<{ read_up_to: Date }>(
    `SELECT read_up_to FROM event_readings WHERE mode = 'TEST'`,
  );
  expect(read).toEqual([{ read_up_to: new Date(test.clock.now().getTime() - 10 * MINUTE_MS) }]);

  billing = readable;
  await findLater();
  expect(await listed(disputeId)).toHaveLength(1);
  expect(await billing.postgres.query(`SELECT FROM provider_events WHERE outcome = 'not-applied'`)).toEqual(
    [],
  );
});
