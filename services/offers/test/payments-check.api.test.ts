/** What the check of payments asks of offers, and has it put right. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { KnownPayment } from '@offer-ads/contracts/internal/payments-api';
import { createdId, startingNow } from './forms.ts';
import { type OffersUnderTest, startOffersUnderTest } from './offers-under-test.ts';

let under: OffersUnderTest;
beforeAll(async () => {
  under = await startOffersUnderTest();
});
afterAll(async () => {
  await under[Symbol.asyncDispose]();
});
beforeEach(() => {
  under.clock.set('2026-06-01T12:00:00Z');
});

async function known(offerId: number): Promise<KnownPayment[]> {
  const answer = await under.admin('GET', `/admin/payments?after=${offerId - 1}&limit=1`);
  return (answer.body as { payments: KnownPayment[] }).payments;
}

describe('GET /admin/payments', () => {
  it('tells of each offer by id what was sold, whether it is paid, and its Unused Time, final once it is over', async () => {
    const id = await createdId(under, startingNow);
    const sold = {
      offerId: id,
      organisationId: 1,
      mode: 'TEST',
      currency: 'GBP',
      netMinor: '1000',
      paymentMethod: 'B',
      paid: true,
      shown: true,
    };
    expect(await known(id)).toMatchObject([{ ...sold, over: false, unusedMs: 0 }]);
    under.clock.advance(60_000);
    await under.call('DELETE', `/offers/${id}`);
    const [payment] = await known(id);
    expect(payment).toMatchObject({ ...sold, over: true });
    expect(payment?.unusedMs).toBe((payment?.scheduledMs ?? 0) - 60_000);
    expect(await known(id + 1)).toEqual([]);
  });
});

describe('POST /admin/payments/{offer_id}/charge', () => {
  it('charges again what billing has forgotten, once however often it is asked', async () => {
    const id = await createdId(under, startingNow);
    const { billing } = under.otherServices;
    billing.sales.delete(id);
    for (const _time of [1, 2])
      expect(await under.admin('POST', `/admin/payments/${id}/charge`)).toMatchObject({
        status: 200,
        body: { offerId: id, outcome: 'charged' },
      });
    expect(billing.sales.get(id)).toMatchObject({ state: 'charged', netMinor: 1000n });
  });

  it('says that the balance is too low, and is refused for what is not there', async () => {
    const id = await createdId(under, startingNow);
    const { billing } = under.otherServices;
    billing.sales.delete(id);
    billing.spent = true;
    try {
      expect((await under.admin('POST', `/admin/payments/${id}/charge`)).body).toMatchObject({
        outcome: 'balance-too-low',
      });
    } finally {
      billing.spent = false;
    }
    expect((await under.admin('POST', '/admin/payments/424242/charge')).status).toBe(404);
  });
});
