import { describe, expect, it } from '@jest/globals';
import { type CardSettled, cardProblemsReply, settleReply } from '@offer-ads/contracts/admin/billing-api';
import { BalanceLow } from '@offer-ads/contracts/events/billing';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { runs } from '@offer-ads/testing/profile';
import { changeLowBalance } from '../../src/balance/low-balance.ts';
import type { Book } from '../../src/domain/ledger/ledger.ts';
import type { Bearer } from '../../src/domain/payments/settlement.ts';
import { watchReversals } from '../../src/reversals/watch-reversals.ts';
import { readStatement } from '../../src/statement/read-statement.ts';
import { useBilling } from '../billing-under-test.ts';

const test = useBilling();

const settle = (id: string, borneBy: Bearer, reason = 'agreed by telephone') =>
  test.admin('POST', '/card-problems/settle', { id, borneBy, reason });
const settled = async (id: string, borneBy: Bearer): Promise<CardSettled> =>
  settleReply.parse((await settle(id, borneBy)).body);
const cardProblems = async () =>
  cardProblemsReply.parse((await test.admin('GET', '/card-problems?limit=500')).body);

/** An offer for 10.00 and 2.00 VAT whose payment was taken back. */
async function takenBack(how: 'refund' | 'dispute' = 'refund') {
  const offer = await test.paidOffer();
  return { ...offer, id: await test.takeBack(offer, how) };
}
const lines = async (book: Book) =>
  (await readStatement(test.billing.postgres, book, { limit: 200 })).entries.map(
    ({ kind, amountMinor, balanceMinor }) => [kind, amountMinor, balanceMinor],
  );
const countLines = async (book: Book, wanted: string) =>
  (await lines(book)).filter(([kind]) => kind === wanted).length;
const sold = { sales: 1000n, 'vat-payable': 200n };

/** The value that every replica exports. */
async function metricOf(name: string, labels: Readonly<Record<string, string>>): Promise<number> {
  const metrics = createMetrics('billing');
  await using watch = watchReversals({ postgres: test.billing.postgres, logger: silentLogger, metrics });
  await watch.runNow();
  const values = (await metrics.registry.getSingleMetric(name)?.get())?.values ?? [];
  const found = values.find((one) =>
    Object.entries(labels).every(([key, value]) => one.labels[key] === value),
  );
  return found?.value ?? Number.NaN;
}
const waiting = (kind: 'refund' | 'dispute') => metricOf('card_reversals_waiting', { kind, mode: 'TEST' });

it('refunds and disputes wait for a person until one has decided, or the provider has returned the money', async () => {
  const before = { refund: await waiting('refund'), dispute: await waiting('dispute') };
  const [refund, dispute] = [await takenBack(), await takenBack('dispute')];
  expect(await waiting('refund')).toBe(before.refund + 1);
  expect(await waiting('dispute')).toBe(before.dispute + 1);
  await settled(refund.id, 'platform');
  await test.win(dispute.id);
  expect(await waiting('refund')).toBe(before.refund);
  expect(await waiting('dispute')).toBe(before.dispute);
});

it('a credit whose payment was taken back later is counted as owed and listed with its offer until a person has decided', async () => {
  const owed = () => metricOf('credits_owed_minor_units', { currency: 'GBP', mode: 'TEST' });
  const offer = await test.paidOffer({ netMinor: 30_00n });
  await test.credit(offer.offerId);
  const before = await owed();
  const id = await test.takeBack(offer);
  expect(await owed()).toBe(before + 30_00);
  const line = { ...offer.book, offerId: offer.offerId, creditedMinor: '3000', owedMinor: '3000' };
  expect((await cardProblems()).owed).toContainEqual(line);
  await settled(id, 'platform');
  expect(await owed()).toBe(before);
  expect((await cardProblems()).owed.map(({ offerId }) => offerId)).not.toContain(offer.offerId);
});

describe('a settlement', () => {
  it('by the platform closes the reversal, leaves the balance, and is listed with who decided what, and why', async () => {
    const { book, offerId, id } = await takenBack();
    await test.topUp(book, 5_00n);
    const listed = async () => (await cardProblems()).reversals.find((one) => one.id === id);
    const reversal = { id, kind: 'refund', mode: 'TEST', currency: 'GBP', amountMinor: '1200' };
    const waits = { ...reversal, offerId, topUpId: null, booked: true, settlement: null };
    expect(await listed()).toMatchObject(waits);
    const settlement = {
      borneBy: 'platform',
      reason: 'agreed by telephone',
      decidedBy: 'ann',
      settledAt: test.clock.now().toISOString(),
      givenBack: false,
    };
    expect(await settled(id, 'platform')).toEqual({ ...reversal, ...settlement });
    expect((await listed())?.settlement).toEqual(settlement);
    const topUp = { 'prepaid-balance': 500n, 'top-up-source': -500n };
    expect(await test.accounts(book)).toEqual({ ...sold, ...topUp, 'card-losses': -1200n });
    expect((await lines(book))[0]).toEqual(['card-settlement', '0', '500']);
  });

  it('by the balance takes the amount from it, and sends the low-balance notice', async () => {
    const { book, id } = await takenBack();
    await test.topUp(book, 20_00n);
    await changeLowBalance(test.billing.postgres, book, 10_00n);
    await settled(id, 'balance');
    expect(await test.balance(book)).toBe(8_00n);
    const topUp = { 'prepaid-balance': 800n, 'top-up-source': -2000n };
    expect(await test.accounts(book)).toEqual({ ...sold, ...topUp });
    expect((await lines(book))[0]).toEqual(['card-settlement', '-1200', '800']);
    const notice = { ...book, balanceMinor: '800', thresholdMinor: '1000' };
    expect(await test.emitted(BalanceLow, book)).toEqual([notice]);
  });

  it('never overdraws the balance: the refusal says how much is missing, and nothing changes', async () => {
    const { book, id } = await takenBack();
    await test.topUp(book, 11_99n);
    const message =
      'The balance has 11.99 of 12.00 GBP: settle it when the balance bears it, or let the platform bear it';
    expect(await settle(id, 'balance')).toMatchObject({ status: 409, body: { message } });
    expect(await test.accounts(book)).toMatchObject({ 'card-reversals': -1200n, 'prepaid-balance': 1199n });
    await test.topUp(book, 1n);
    await settled(id, 'balance');
    expect(await test.balance(book)).toBe(0n);
  });

  it('is made once: the same decision again gives the first answer, another decision is refused', async () => {
    const { book, id } = await takenBack();
    await test.topUp(book, 50_00n);
    const answers = await Promise.all(Array.from({ length: 8 }, () => settled(id, 'balance')));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(await test.balance(book)).toBe(38_00n);
    const message = expect.stringMatching(/^It was settled by .+ on 2026-.*, borne by the balance$/);
    expect(await settle(id, 'platform')).toMatchObject({ status: 409, body: { message } });
    expect(await countLines(book, 'card-settlement')).toBe(1);
  });

  it('of two at once from a balance that can bear one is made for one of them', async () => {
    const { book, id } = await takenBack();
    const other = await test.takeBack(await test.paidOffer({ book }));
    await test.topUp(book, 20_00n);
    const answers = await Promise.all([settle(id, 'balance'), settle(other, 'balance')]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    expect(await test.balance(book)).toBe(8_00n);
  });
});

describe('a settlement is refused', () => {
  it('for an unknown id, an inquiry, a refund that failed, and an unknown payment', async () => {
    const [inquired, failed, unknown] = [await test.paidOffer(), await takenBack(), await test.openOffer()];
    const inquiry = await test.reverse(`sessions/${inquired.sessionId}/dispute`, { inquiry: true });
    await test.untilReversal(inquiry, { taken: false });
    await test.reverse(`refunds/${failed.id}/fail`);
    await test.untilReversal(failed.id, { returnedPosted: true });
    await test.payUnheard(unknown.sessionId);
    const ofUnknown = await test.reverse(`sessions/${unknown.sessionId}/refund`);
    await test.untilReversal(ofUnknown, { takenPosted: false });
    for (const [id, status, message] of [
      ['re_unknown', 404, 'There is no refund or dispute of that id'],
      [inquiry, 409, 'The provider has taken nothing: there is nothing to bear'],
      [failed.id, 409, 'The provider has returned the money: there is nothing to bear'],
      [
        ofUnknown,
        409,
        'It is not booked: its payment is not known yet, or it is more than what is left of its payment',
      ],
    ] as const)
      expect(await settle(id, 'platform')).toMatchObject({ status, body: { message } });
    expect(await test.accounts(failed.book)).toEqual({ ...sold, 'card-clearing': -1200n });
  });

  it('without a reason, or for anybody but the platform and the balance', async () => {
    const { id } = await takenBack();
    expect(await settle(id, 'platform', ' ')).toMatchObject({ status: 400 });
    expect(await settle(id, 'nobody' as Bearer)).toMatchObject({ status: 400 });
  });
});

describe('money that comes back after the settlement', () => {
  const allReturned = {
    ...sold,
    'card-clearing': -1200n,
    'prepaid-balance': 1200n,
    'top-up-source': -1200n,
  };

  it.each(['platform', 'balance'] as const)('goes back once to the %s, which bore it', async (borneBy) => {
    const { book, id } = await takenBack('dispute');
    await test.topUp(book, 12_00n);
    await settled(id, borneBy);
    await test.win(id);
    expect(await test.accounts(book)).toEqual(allReturned);
    expect(await countLines(book, 'card-settlement-returned')).toBe(1);
    expect(await settled(id, borneBy)).toMatchObject({ givenBack: true });
  });

  it('at the same time, in any order and many times, leaves nothing open and nobody bears anything', async () => {
    for (let round = 0; round < runs(10, 300); round += 1) {
      const { book, id } = await takenBack('dispute');
      await test.topUp(book, 12_00n);
      const both = [() => settle(id, round % 4 < 2 ? 'balance' : 'platform'), () => test.win(id)];
      await Promise.all((round % 2 === 0 ? both : both.toReversed()).map((work) => work()));
      expect(await test.accounts(book)).toEqual(allReturned);
    }
  }, 120_000);
});

it('a settlement can be neither changed nor removed', async () => {
  const { postgres } = test.billing;
  const { id } = await takenBack();
  await settled(id, 'platform');
  const change = `UPDATE card_settlements SET borne_by = 'balance' WHERE reversal_id = '${id}'`;
  await expect(postgres.query(change)).rejects.toThrow('a settlement is final');
  await expect(postgres.query('DELETE FROM card_settlements')).rejects.toThrow('append-only');
});
