import { describe, expect, it } from '@jest/globals';
import { fc, runs } from '@offer-ads/testing/profile';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { useBilling } from '../billing-under-test.ts';

const test = useBilling();

const sold = { sales: 1000n, 'vat-payable': 200n };
const untilAccounts = (book: Parameters<typeof test.accounts>[0], accounts: object) =>
  eventually(async () => expect(await test.accounts(book)).toEqual(accounts));

describe('a refund made at Stripe', () => {
  it('withholds a credit, which the comparison of payments does not miss', async () => {
    const offer = await test.paidOffer();
    await test.takeBack(offer);
    await test.credit(offer.offerId, { unusedMs: 1, scheduledMs: 4 });
    expect(await test.balance(offer.book)).toBe(0n);
    const { body } = await test.admin('GET', `/payments?after=${offer.offerId - 1}&limit=1`);
    expect(body).toMatchObject({ payments: [{ offerId: offer.offerId, creditedMinor: '250' }] });
  });

  it('is posted and listed with its offer, each part by itself, and changes no balance, sale or VAT', async () => {
    const offer = await test.paidOffer();
    const { offerId, book } = offer;
    const id = await test.takeBack(offer, 'refund', 300);
    expect(await test.findReversal(id)).toMatchObject({
      offerId,
      organisationId: book.organisationId,
      kind: 'refund',
      amountMinor: 300n,
      taken: true,
      takenPosted: true,
      returned: false,
    });
    await test.takeBack(offer, 'refund', 400);
    await untilAccounts(book, { ...sold, 'card-clearing': -500n, 'card-reversals': -700n });
    expect(await test.balance(book)).toBe(0n);
  });

  it('that fails puts the money back', async () => {
    const offer = await test.paidOffer();
    const id = await test.takeBack(offer);
    await test.reverse(`refunds/${id}/fail`);
    await test.untilReversal(id, { returnedPosted: true, status: 'failed' });
    expect(await test.accounts(offer.book)).toEqual({ ...sold, 'card-clearing': -1200n });
  });

  it('of a top-up is listed with it, and takes nothing from the balance by itself', async () => {
    const topUp = await test.paidTopUp();
    const id = await test.takeBack(topUp);
    expect(await test.findReversal(id)).toMatchObject({ topUpId: topUp.topUpId, offerId: null });
    const accounts = { 'card-reversals': -120_00n, 'prepaid-balance': 100_00n, 'vat-payable': 20_00n };
    expect(await test.accounts(topUp.book)).toEqual(accounts);
  });

  it('of an unknown payment is recorded and listed, and posts nothing', async () => {
    const offer = await test.openOffer();
    await test.payUnheard(offer.sessionId);
    const id = await test.reverse(`sessions/${offer.sessionId}/refund`);
    await test.untilReversal(id, { takenPosted: false });
    expect(await test.findReversal(id)).toMatchObject({ organisationId: null });
    expect(await test.accounts(offer.book)).toEqual({});
  });
});

describe('refunds of more than their payment', () => {
  /** A refund that the simulator would not make, because Stripe does not. */
  async function refund({ offerId }: { readonly offerId: number }, amount: number, intent?: string) {
    const id = `re_${offerId}_${amount}`;
    const paymentIntentId = intent ?? (await test.cardPayment(offerId)).paymentIntentId;
    const object = {
      id,
      amount,
      currency: 'gbp',
      status: 'succeeded',
      reason: null,
      payment_intent: paymentIntentId,
    };
    const created = Math.floor(test.clock.now().getTime() / 1_000);
    const event = { id: `evt_${id}`, type: 'refund.created', created, livemode: false, data: { object } };
    expect(await test.receive(test.signed(JSON.stringify(event)))).toBe('accepted');
    return id;
  }
  const expectSound = async () => expect(await test.ledgerProblems()).toEqual([]);
  const paid = { ...sold, 'card-clearing': -1200n };

  it('are recorded and listed, and change nothing of the ledger', async () => {
    const offer = await test.paidOffer();
    const id = await refund(offer, 1201);
    const reversal = { amountMinor: 1201n, taken: true, takenPosted: false };
    expect(await test.findReversal(id)).toMatchObject({ offerId: offer.offerId, ...reversal });
    expect(await test.accounts(offer.book)).toEqual(paid);
    await expectSound();
    const settled = await test.admin('POST', '/card-problems/settle', {
      id,
      borneBy: 'platform',
      reason: 'forged',
    });
    expect(settled.status).toBe(409);
    // Others of the same payment are posted all the same.
    await test.takeBack(offer, 'refund', 1200);
    expect(await test.accounts(offer.book)).toEqual({ ...sold, 'card-reversals': -1200n });
    await expectSound();
  });

  it('wait when they are too much only together, until an earlier one is heard to have failed', async () => {
    const offer = await test.paidOffer();
    const first = await test.takeBack(offer, 'refund', 700);
    const second = await refund(offer, 600);
    expect((await test.findReversal(second))?.takenPosted).toBe(false);
    await expectSound();
    await test.reverse(`refunds/${first}/fail`);
    await test.untilReversal(second);
    const accounts = { ...sold, 'card-clearing': -600n, 'card-reversals': -600n };
    expect(await test.accounts(offer.book)).toEqual(accounts);
    await expectSound();
  });

  it('change nothing of the ledger when they are heard of before their payment either', async () => {
    const offer = await test.openOffer();
    const webhook = await test.payUnheard(offer.sessionId);
    const { data } = JSON.parse(webhook.body.toString()) as { data: { object: { payment_intent: string } } };
    await refund(offer, 99_999, data.object.payment_intent);
    await test.receive(webhook);
    expect(await test.accounts(offer.book)).toEqual(paid);
    await expectSound();
  });
});

describe('a dispute', () => {
  it.each([
    ['won', { 'card-clearing': -1200n }],
    ['lost', { 'card-reversals': -1200n }],
  ])('takes the money, and is %s', async (outcome, accounts) => {
    const offer = await test.paidOffer();
    const id = await test.takeBack(offer, 'dispute');
    expect(await test.accounts(offer.book)).toEqual({ ...sold, 'card-reversals': -1200n });
    await test.reverse(`disputes/${id}/close`, { outcome });
    await test.untilReversal(id, { status: outcome });
    await untilAccounts(offer.book, { ...sold, ...accounts });
  });

  it('that is only an inquiry is recorded and moves nothing', async () => {
    const offer = await test.paidOffer();
    const id = await test.reverse(`sessions/${offer.sessionId}/dispute`, { inquiry: true });
    await test.untilReversal(id, { taken: false, takenPosted: false });
    expect(await test.accounts(offer.book)).toEqual({ ...sold, 'card-clearing': -1200n });
  });
});

it('payment, refund, its failure and a won dispute come to the same accounts in any order, repeated and at once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.infiniteStream(fc.nat()), async (chance) => {
      const { book, sessionId } = await test.openOffer();
      const news = await test.unheard(async () => {
        await test.pay(sessionId);
        const refund = await test.reverse(`sessions/${sessionId}/refund`, { amountMinor: 700 });
        await test.reverse(`refunds/${refund}/fail`);
        const second = await test.reverse(`sessions/${sessionId}/refund`, { amountMinor: 200 });
        const dispute = await test.reverse(`sessions/${sessionId}/dispute`, { amountMinor: 900 });
        await test.reverse(`disputes/${dispute}/close`, { outcome: 'won' });
        return test.webhooksOf([sessionId, refund, second, dispute], 8);
      });
      await test.receiveInAnyOrder(news, chance);
      const accounts = { ...sold, 'card-clearing': -1000n, 'card-reversals': -200n };
      expect(await test.accounts(book)).toEqual(accounts);
    }),
    { numRuns: runs(8, 300) },
  );
}, 300_000);
