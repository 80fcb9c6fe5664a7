/** Offer groups: several offers that are ordered and paid in one go. Their races with everything else: checkouts/interleavings.int.test.ts. */
import { describe, expect, it } from '@jest/globals';
import { BalanceLow, BalanceToppedUp, OfferPaid } from '@offer-ads/contracts/events/billing';
import { OfferEnded } from '@offer-ads/contracts/events/offers';
import { invoicesReply, type StatementReply } from '@offer-ads/contracts/internal/billing-api';
import type { Spending } from '@offer-ads/contracts/internal/caller-context';
import { openPostgres } from '@offer-ads/platform/postgres/postgres';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { runs } from '@offer-ads/testing/profile';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { Book } from '../src/domain/ledger/ledger.ts';
import type { GroupSale } from '../src/domain/payments/offer-payment.ts';
import { keepCheckout } from '../src/payments/close-checkout.ts';
import { closePayablePages } from '../src/payments/reconcile.ts';
import { unlimited, useBilling } from './billing-under-test.ts';

const test = useBilling();

const idsOf = ({ offers }: GroupSale) => offers.map(({ offerId }) => offerId);
const entriesOf = async (book: Book) =>
  ((await test.as(book, 'GET', '/statement')).body as StatementReply).entries;
const statesOf = async ({ groupId }: { readonly groupId: number }) => {
  const rows = await test.billing.postgres.query<{ state: string }>(
    'SELECT state FROM payments WHERE of_group = $1',
    [groupId],
  );
  return [...new Set(rows.map(({ state }) => state))];
};
const closed = { outcome: 'refused', reason: 'closed' };

describe('a group paid from the balance', () => {
  it('is charged whole, once, with a booking for each offer', async () => {
    const book = await test.fundedBook();
    const group = test.newGroup([10_00n, 0n, 7_00n], { book });
    const answers = await Promise.all(Array.from({ length: 10 }, () => test.chargeGroup(group)));
    const charged = { outcome: 'charged', chargedAt: test.clock.now().toISOString(), balanceMinor: '8300' };
    for (const answer of answers) expect(answer).toEqual(charged);
    expect((await entriesOf(book)).map(({ kind, amountMinor, title }) => [kind, amountMinor, title])).toEqual(
      [
        ['offer-charge', '-700', 'Two for one (place 3)'],
        ['offer-charge', '-1000', 'Two for one (place 1)'],
        ['platform-top-up', '10000', null],
      ],
    );
    await test.credit(idsOf(group)[2] ?? 0, { unusedMs: 1, scheduledMs: 2 });
    expect(await test.balance(book)).toBe(86_50n);
    expect(await test.resolve(group)).toMatchObject({
      outcome: 'charged',
      paymentMethod: 'B',
      netMinor: '1700',
    });
  });

  it('takes nothing if the balance does not afford all of it, and can be tried again', async () => {
    const book = test.newBook();
    await test.topUp(book, 21_99n);
    const group = test.newGroup([10_00n, 5_00n, 7_00n], { book });
    const tooLow = { outcome: 'refused', reason: 'balance-too-low', balanceMinor: '2199' };
    expect(await test.chargeGroup(group)).toEqual(tooLow);
    await test.topUp(book, 1n);
    expect(await test.chargeGroup(group)).toMatchObject({ outcome: 'charged', balanceMinor: '0' });
  });

  it('says once that the balance is low, and what is left after all of it', async () => {
    const book = await test.fundedBook();
    await test.as(book, 'PUT', '/low-balance-threshold', { thresholdMinor: '9000' });
    await test.chargeGroup(test.newGroup([10_00n, 5_00n, 7_00n, 0n], { book }));
    expect(await test.emitted(BalanceLow, book)).toMatchObject([{ balanceMinor: '7800' }]);
  });

  it('conflicts with what its id, or the id of one of its offers, stands for already', async () => {
    const book = await test.fundedBook();
    const group = test.newGroup([1_00n, 2_00n], { book });
    await test.chargeGroup(group);
    const [offerId = 0] = idsOf(group);
    const other = test.newGroup([1_00n, 2_00n], { book });
    const conflicts = [
      () => test.chargeGroup({ ...group, offers: other.offers }),
      () => test.chargeGroup({ ...group, offers: group.offers.slice(1), netMinor: 3_00n }),
      () => test.chargeGroup({ ...group, book: test.newBook() }),
      () => test.chargeGroup({ ...other, offers: group.offers }),
      () => test.charge(book, 1_00n, offerId),
      () => test.open({ ...group, offerExpiryAt: other.offerExpiryAt, country: 'GB' }),
      () => test.open(test.newGroup([], { ...other, offers: group.offers })),
    ];
    for (const conflict of conflicts) await expect(conflict()).rejects.toMatchObject({ status: 409 });
    expect(await test.balance(book)).toBe(97_00n);
  });

  it('is not charged after its id was closed, and both at once agree', async () => {
    const book = await test.fundedBook();
    for (let round = 0; round < runs(10, 300); round += 1) {
      const group = test.newGroup([10n, 20n], { book });
      const both = [() => test.chargeGroup(group), () => test.resolve(group)] as const;
      const begun = round % 2 === 0 ? both.map((ask) => ask()) : both.toReversed().map((ask) => ask());
      const [first, second] = await Promise.all(begun);
      const outcomes = [first?.outcome, second?.outcome];
      expect([outcomes.includes('charged'), outcomes.filter((one) => one === 'charged').length]).toEqual([
        !outcomes.includes('closed'),
        outcomes.includes('closed') ? 0 : 2,
      ]);
      if (outcomes.includes('closed')) expect(await test.chargeGroup(group)).toMatchObject(closed);
    }
  });
});

describe('a group paid by card', () => {
  it('has one page and one invoice for the sum, and its offers are charged from the balance in the same moment', async () => {
    const group = await test.openGroup([10_00n, 5_00n, 7_01n]);
    const { book, groupId } = group;
    expect(group.reply).toMatchObject({ netMinor: '2201', vatMinor: '440' });
    expect(await statesOf(group)).toEqual(['unpaid']);
    await test.pay(group.sessionId);
    await test.untilPaid(group);
    expect(await test.balance(book)).toBe(0n);
    const explained = (await entriesOf(book)).toReversed();
    expect(
      explained.map(({ kind, title, amountMinor, balanceMinor }) => [kind, title, amountMinor, balanceMinor]),
    ).toEqual([
      ['group-card-payment', 'Two for one (several places)', '2201', '2201'],
      ['offer-charge', 'Two for one (place 1)', '-1000', '1201'],
      ['offer-charge', 'Two for one (place 2)', '-500', '701'],
      ['offer-charge', 'Two for one (place 3)', '-701', '0'],
    ]);
    expect(explained[0]).toMatchObject({ card: { netMinor: '2201', vatMinor: '440' } });
    const told = await test.emitted(OfferPaid, book);
    expect(told.map(({ offerId, netMinor, vatMinor }) => [offerId, netMinor, vatMinor])).toEqual(
      ['200', '100', '140'].map((vat, index) => [
        group.offers[index]?.offerId,
        `${group.offers[index]?.netMinor}`,
        vat,
      ]),
    );
    const together = told.map(({ offerId, netMinor, vatMinor }) => ({ offerId, netMinor, vatMinor }));
    for (const paid of told) expect(paid.together).toEqual(together);
    expect(await test.emitted(BalanceToppedUp, book)).toEqual([]);
    for (const query of ['', `?offerId=${idsOf(group)[1]}`]) {
      const { invoices } = invoicesReply.parse((await test.as(book, 'GET', `/invoices${query}`)).body);
      expect(invoices).toMatchObject([
        { kind: 'group', offerId: null, title: 'Two for one (several places)', grossMinor: '2641' },
      ]);
    }
    const paid = { outcome: 'charged', paymentMethod: 'E', netMinor: '2201', vatMinor: '440' };
    expect(await test.resolve({ groupId, book })).toMatchObject(paid);
    expect(await test.close({ offerId: idsOf(group)[0] ?? 0, book })).toBe('paid');
  });

  it('never says that the balance is low: it leaves the balance as it was', async () => {
    for (const held of [0n, 5_00n, 15_00n]) {
      const group = await test.openGroup();
      if (held > 0n) await test.topUp(group.book, held);
      await test.as(group.book, 'PUT', '/low-balance-threshold', { thresholdMinor: '1000' });
      await test.pay(group.sessionId);
      await test.untilPaid(group);
      expect(await test.balance(group.book)).toBe(held);
      expect(await test.emitted(BalanceLow, group.book)).toEqual([]);
    }
  });

  it('is refunded as a top-up is: its offers keep what was paid for them', async () => {
    const group = await test.paidGroup();
    const id = await test.takeBack(group, 'refund', 12_00);
    expect(await test.findReversal(id)).toMatchObject({ groupId: group.groupId, offerId: null });
    const { invoices } = invoicesReply.parse((await test.as(group.book, 'GET', '/invoices')).body);
    expect(invoices).toMatchObject([
      { document: 'credit-note', kind: 'group', netMinor: '1000', vatMinor: '200' },
      { document: 'invoice', netMinor: '2200' },
    ]);
    for (const offerId of idsOf(group)) await test.credit(offerId);
    expect(await test.balance(group.book)).toBe(22_00n);
  });

  it('is closed whole, by its own id: for an offer of it the same is a fault', async () => {
    const group = await test.openGroup();
    const [offerId = 0] = idsOf(group);
    const { book } = group;
    await expect(test.close({ offerId, book })).rejects.toMatchObject({ status: 409 });
    await expect(test.resolve({ offerId, book })).rejects.toMatchObject({ status: 409 });
    await expect(test.charge(book, 10_00n, offerId)).rejects.toMatchObject({ status: 409 });
    expect(await test.close(group, 1)).toBe('closed');
    expect(await test.follow(group)).toMatchObject({ kind: 'closed' });
    expect(await keepCheckout(test.billing, group, 1)).toBe('open');
    expect(await test.close(group, 2)).toBe('closed');
    expect(await test.open(group)).toMatchObject(closed);
    expect(await statesOf(group)).toEqual(['unpaid']);
  });

  it('is closed when one of its offers has ended, and when an offer of it is voided', async () => {
    const [ended, voided] = [await test.openGroup(), await test.openGroup()];
    const [offerId = 0] = idsOf(ended);
    const at = test.clock.now().toISOString();
    const times = { startAt: at, expiryAt: at, endedAt: at, unusedMs: 0, scheduledMs: 1, paid: false };
    await test.consume(OfferEnded, { ...ended.book, offerId, title: 'Two for one', ...times });
    await closePayablePages(test.billing, new AbortController().signal);
    expect((await test.checkout(ended)).state).toBe('closed');
    const [first = 0] = idsOf(voided);
    const listed = async () => (await test.admin('GET', `/payments?after=${first - 1}&limit=1`)).body;
    expect(await listed()).toMatchObject({ payments: [{ offerId: first, paymentMethod: 'E', open: true }] });
    const { body } = await test.admin('POST', `/payments/${first}/void`);
    expect(body).toEqual({ offerId: first, outcome: 'closed' });
    expect(await listed()).toMatchObject({ payments: [{ open: false, paid: false }] });
  });

  it('that is paid after it was closed is money on the balance, and charges nothing', async () => {
    const group = await test.openGroup();
    const webhook = await test.payUnheard(group.sessionId);
    await test.billing.postgres.query(
      `UPDATE payments SET state = 'closed', session_expired = true WHERE group_id = $1`,
      [group.groupId],
    );
    for (const _time of [1, 2]) expect(await test.receive(webhook)).toBe('accepted');
    expect(await test.balance(group.book)).toBe(22_00n);
    expect(await test.emitted(OfferPaid, group.book)).toEqual([]);
    expect(await test.emitted(BalanceToppedUp, group.book)).toMatchObject([
      { netMinor: '2200', vatMinor: '440', method: 'card' },
    ]);
    expect(await statesOf(group)).toEqual(['unpaid']);
  });

  it('paid and closed at once on two replicas ends paid with all its charges, or closed with none', async () => {
    const resources = { url: test.databaseUrl, maxConnections: 10, statementTimeoutMs: 60_000 };
    await using second = await openPostgres({
      ...resources,
      logger: silentLogger,
      metrics: createMetrics('billing'),
    });
    const replica = { ...test.billing, postgres: second };
    for (let round = 0; round < runs(20, 500); round += 1) {
      const group = await test.openGroup();
      const both = [() => test.pay(group.sessionId), () => test.close(group, undefined, replica)] as const;
      const begun = round % 2 === 0 ? [both[0](), both[1]()] : [both[1](), both[0]()].toReversed();
      const [isPaid, closing] = await Promise.all(begun);
      expect(closing).toBe(isPaid ? 'paid' : 'closed');
      expect(await statesOf(group)).toEqual([isPaid ? 'charged' : 'unpaid']);
      expect(await test.emitted(OfferPaid, group.book)).toHaveLength(isPaid ? 3 : 0);
      expect(await test.balance(group.book)).toBe(0n);
    }
  }, 300_000);

  it('refused by Stripe as too small leaves nothing behind', async () => {
    const group = test.newGroup();
    await test.setFaults({ failCreate: 'too_small' });
    expect(await test.open(group)).toMatchObject({ outcome: 'refused', reason: 'below-minimum' });
    await test.setFaults({});
    expect(await test.open(group)).toMatchObject({ outcome: 'opened' });
  });
});

describe('a spending limit', () => {
  const limited = (perDayMinor: string): Spending => ({
    ...unlimited,
    spender: `key/groups/${test.newOfferId()}`,
    perDayMinor,
  });
  const above = (leftMinor: string, costMinor: string) => ({
    reason: 'above-limit',
    exceeded: { per: 'day', limitMinor: '6000', leftMinor, costMinor },
  });

  it('counts a group as its sum, by card with VAT: open, and once when it is paid', async () => {
    const [book, spending] = [await test.fundedBook(), limited('6000')];
    const group = await test.openGroup([10_00n, 20_00n], { book, spending });
    const next = test.newGroup([12_00n, 12_01n], { book, spending });
    expect(await test.chargeGroup(next)).toMatchObject(above('2400', '2401'));
    await test.pay(group.sessionId);
    await test.untilPaid(group);
    expect(await test.chargeGroup(next)).toMatchObject(above('2400', '2401'));
    const affordable = test.newGroup([12_00n, 12_00n], { book, spending });
    for (const _time of [1, 2])
      expect(await test.chargeGroup(affordable)).toMatchObject({ outcome: 'charged', balanceMinor: '7600' });
    expect(await test.open(test.newGroup([1_00n], { book, spending }))).toMatchObject(above('0', '120'));
  });

  it('is free again after the group was closed unpaid', async () => {
    const spending = limited('6000');
    const group = await test.openGroup([50_00n], { spending });
    const again = test.newGroup([50_00n], { book: group.book, spending });
    expect(await test.open(again)).toMatchObject(above('0', '6000'));
    await test.close(group);
    expect(await test.open(again)).toMatchObject({ outcome: 'opened' });
  });
});

describe('the routes for groups', () => {
  const expiry = '2099-01-01T00:00:00.000Z';
  const bodyOf = (places: number) => {
    const { groupId, title, offers } = test.newGroup(Array<bigint>(places).fill(5_00n));
    const inJson = offers.map(({ netMinor, ...offer }) => Object.assign(offer, { netMinor: `${netMinor}` }));
    return { groupId, title, offers: inJson };
  };

  it('charge, open, close, keep and resolve for the caller', async () => {
    const book = await test.fundedBook();
    const ask = async (path: string, json?: object) => (await test.as(book, 'POST', path, json)).body;
    const { title: _, ...charge } = bodyOf(2);
    expect(await ask('/group-charges', charge)).toMatchObject({ outcome: 'charged', balanceMinor: '9000' });
    const group = { ...bodyOf(20), offerExpiryAt: expiry };
    expect(await ask('/group-checkouts', group)).toMatchObject({ outcome: 'opened', netMinor: '10000' });
    const path = `/groups/${group.groupId}`;
    expect(await ask(`${path}/close-checkout`, { deletion: 1 })).toEqual({ outcome: 'closed' });
    expect(await ask(`${path}/keep-checkout`, { deletion: 1 })).toEqual({ outcome: 'open' });
    expect(await ask(`${path}/resolve-charge`)).toEqual({ outcome: 'closed' });
  });

  it.each([
    ['no offer', () => bodyOf(0), 'offers: '],
    ['21 offers', () => bodyOf(21), 'offers: '],
    [
      'a price below zero',
      () => ({ ...bodyOf(1), offers: [{ ...bodyOf(1).offers[0], netMinor: '-1' }] }),
      'netMinor: must not be negative',
    ],
    ['one offer twice', () => twice(bodyOf(1)), 'offers: '],
  ])('refuse %s', async (_what, body, message) => {
    const refusal = { status: 400, body: { message: expect.stringContaining(message) } };
    expect(await test.as({}, 'POST', '/group-charges', body())).toMatchObject(refusal);
    const checkout = { ...body(), offerExpiryAt: expiry };
    expect(await test.as({}, 'POST', '/group-checkouts', checkout)).toMatchObject(refusal);
  });
  const twice = (body: ReturnType<typeof bodyOf>) => ({ ...body, offers: [...body.offers, ...body.offers] });

  it('show the payer pages about several offers', async () => {
    const [group, deleted] = [await test.openGroup(), await test.openGroup()];
    const page = async ({ payToken }: { readonly payToken: string }, path = '') =>
      (await test.visit(`/pay/${payToken}${path}`)).text();
    expect(await page(group, '/cancelled')).toContain('The offers wait for their payment');
    await test.close(deleted);
    expect(await page(deleted)).toContain('These offers were deleted');
    await test.pay(group.sessionId);
    await eventually(async () => expect(await page(group)).toContain('These offers have been paid for'));
    expect(await page(group)).toContain('Two for one (several places)');
  });
});

describe('the database refuses', () => {
  const sql = (text: string) => test.billing.postgres.query(text);

  it.each([
    [
      'a charge of a part of an unpaid group',
      (id) => `SET state = 'charged', paid_at = now() WHERE offer_id = ${id}`,
    ],
    ['an offer that leaves its group', (id) => `SET of_group = NULL WHERE offer_id = ${id}`],
    [
      'a payment without its charges',
      (_, group) => `SET state = 'paid', paid_at = now() WHERE group_id = ${group}`,
    ],
  ] satisfies [string, (offerId: number, groupId: number) => string][])('%s', async (_what, change) => {
    const group = await test.openGroup();
    const changed = sql(`UPDATE payments ${change(idsOf(group)[0] ?? 0, group.groupId)}`);
    await expect(changed).rejects.toMatchObject({ code: '23514' });
  });

  it('an offer of a group that has another price, book or number of offers', async () => {
    const group = await test.openGroup();
    for (const [column, value] of [
      ['net_minor', '1'],
      ['organisation_id', '0'],
      ['mode', `'LIVE'`],
    ]) {
      const changed = sql(
        `UPDATE payments SET ${column} = ${value}, state = state WHERE of_group = ${group.groupId}`,
      );
      await expect(changed).rejects.toMatchObject({ constraint: 'group_is_whole' });
    }
  });
});

it('the ledger check finds a group whose record, offers and bookings differ', async () => {
  const group = await test.paidGroup();
  const { groupId } = group;
  const [offerId] = idsOf(group);
  for (const [change, ...findings] of [
    [
      `payments SET state = 'unpaid', paid_at = NULL WHERE offer_id = ${offerId}`,
      `offer ${offerId}: its record says 0 paid and 0 credited, the ledger 1000 and 0`,
      `group ${groupId}: it is of 2200 and 2200 is charged, its offers are of 2200 and 1200`,
    ],
    [
      `payments SET vat_minor = 1 WHERE group_id = ${groupId}`,
      `group ${groupId}: its record says 2200 added and 1 VAT, the ledger 2200 and 440`,
    ],
    [
      `payments SET organisation_id = 0 WHERE offer_id = ${offerId}`,
      `offer ${offerId}: its record says 1000 paid and 0 credited, the ledger 0 and 0`,
      `group ${groupId}: it is of 2200 and 2200 is charged, its offers are of 1200 and 1200`,
    ],
  ] as const)
    expect(await test.findingsAfter(`UPDATE ${change}`)).toEqual(findings);
  expect(
    await test.findingsAfter(`DELETE FROM invoices WHERE cause = 'group ${groupId} paid by card'`),
  ).toEqual([`"group ${groupId} paid by card" has no invoice`]);
});
