import { describe, expect, it } from '@jest/globals';
import { adminUnderTest } from '../../../test/admin-under-test.ts';

const { adminJson, received, replies } = adminUnderTest();
const at = '2026-06-01T12:00:00.000Z';

describe('card problems', () => {
  it('lists what the card provider took back, with amounts in their currency', async () => {
    const reversal = {
      id: 're_1',
      kind: 'refund',
      mode: 'LIVE',
      currency: 'GBP',
      status: 'succeeded',
      reason: null,
      heardAt: at,
      taken: true,
      returned: false,
      organisationId: 3,
      offerId: 7,
      topUpId: null,
      groupId: null,
      booked: true,
      settlement: null,
    };
    const offer = { organisationId: 3, offerId: 7, mode: 'LIVE', currency: 'GBP' };
    replies['GET /admin/card-problems?limit=5'] = {
      reversals: [{ ...reversal, amountMinor: '1250' }],
      owed: [{ ...offer, creditedMinor: '1000', owedMinor: '750' }],
      payments: [],
    };
    expect(await adminJson('card problems --limit 5')).toEqual({
      status: 0,
      result: {
        reversals: [{ ...reversal, amount: '12.50' }],
        owed: [{ ...offer, credited: '10.00', owed: '7.50' }],
        payments: [],
      },
    });
  });
});

describe('card settle', () => {
  it('decides who bears a refund, with a reason', async () => {
    const decision = { borneBy: 'platform', reason: 'goodwill', decidedBy: 'ann', settledAt: at };
    const settled = {
      id: 're-1',
      kind: 'refund',
      mode: 'LIVE',
      currency: 'GBP',
      ...decision,
      givenBack: false,
    };
    replies['POST /admin/card-problems/settle'] = { ...settled, amountMinor: '1250' };
    expect(await adminJson('card settle re-1 --by platform --reason goodwill')).toEqual({
      status: 0,
      result: { ...settled, amount: '12.50' },
    });
    expect(received[0]?.body).toEqual({ id: 're-1', borneBy: 'platform', reason: 'goodwill' });
    expect(await adminJson('card settle re-1 --by nobody --reason goodwill')).toMatchObject({ status: 1 });
    expect(await adminJson('card settle re-1 --by platform')).toMatchObject({ status: 1 });
  });
});
