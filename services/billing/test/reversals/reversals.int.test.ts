import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { fc, runs } from '@offer-ads/testing/profile';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { Book } from '../../src/domain/ledger/ledger.ts';
import { checkLedger } from '../../src/ledger/ledger-check-store.ts';
import { balanceOf } from '../../src/ledger/ledger-store.ts';
import { latestReversals } from '../../src/reversals/reversals-store.ts';
import { receiveWebhook } from '../../src/webhooks/receive-webhook.ts';
import { type BillingUnderTest, startBillingUnderTest, type Webhook } from '../billing-under-test.ts';

let test: BillingUnderTest;
beforeAll(async () => {
  test = await startBillingUnderTest();
});
afterEach(() => {
  test.webhooks.lost = false;
});
afterAll(() => test.finish());

const receive = ({ body, signature }: Webhook) => receiveWebhook(test.billing, body, signature);

/** What the accounts of a book have come to. */
async function accounts({ organisationId, mode }: Book): Promise<Record<string, bigint>> {
  const rows = await test.billing.postgres.query<{ kind: string; total: bigint }>(
    `SELECT kind, sum(amount_minor)::bigint AS total FROM accounts JOIN entries USING (account_id)
      WHERE organisation_id = $1 AND mode = $2 GROUP BY kind`,
    [organisationId, mode],
  );
  return Object.fromEntries(rows.map(({ kind, total }) => [kind, total]));
}

async function paidOffer() {
  const offer = await test.openOffer();
  await test.pay(offer.sessionId);
  await eventually(async () => expect(await accounts(offer.book)).toMatchObject({ sales: 1000n }));
  return offer;
}

const listed = async (id: string) =>
  (await latestReversals(test.billing.postgres, 500)).find(({ reversal }) => reversal.reversalId === id);

describe('a refund made at Stripe', () => {
  it('leaves card clearing explainable, is listed with its offer, and changes no balance, sale or VAT', async () => {
    const offer = await paidOffer();
    const id = await test.reverse(`sessions/${offer.sessionId}/refund`, { amountMinor: 500 });
    await eventually(async () =>
      expect(await accounts(offer.book)).toEqual({
        'card-clearing': -700n,
        'card-reversals': -500n,
        sales: 1000n,
        'vat-payable': 200n,
      }),
    );
    expect(await balanceOf(test.billing.postgres, offer.book)).toBe(0n);
    expect(await listed(id)).toMatchObject({
      offerId: offer.offerId,
      organisationId: offer.book.organisationId,
      reversal: { kind: 'refund', amountMinor: 500n, taken: true, takenPosted: true, returned: false },
    });
  });

  it('may come twice in part; each is booked', async () => {
    const offer = await paidOffer();
    await test.reverse(`sessions/${offer.sessionId}/refund`, { amountMinor: 300 });
    await test.reverse(`sessions/${offer.sessionId}/refund`, { amountMinor: 400 });
    await eventually(async () =>
      expect(await accounts(offer.book)).toMatchObject({ 'card-reversals': -700n }),
    );
  });

  it('that fails puts the money back', async () => {
    const offer = await paidOffer();
    const id = await test.reverse(`sessions/${offer.sessionId}/refund`);
    await test.reverse(`refunds/${id}/fail`);
    await eventually(async () =>
      expect(await listed(id)).toMatchObject({ reversal: { returnedPosted: true, status: 'failed' } }),
    );
    expect(await accounts(offer.book)).toMatchObject({ 'card-clearing': -1200n, 'card-reversals': 0n });
  });

  it('of a top-up takes nothing from the balance by itself', async () => {
    const topUp = await test.openTopUp();
    await test.pay(topUp.sessionId);
    await eventually(async () => expect(await balanceOf(test.billing.postgres, topUp.book)).toBe(100_00n));
    const id = await test.reverse(`sessions/${topUp.sessionId}/refund`);
    await eventually(async () => expect(await listed(id)).toMatchObject({ topUpId: topUp.topUpId }));
    await eventually(async () =>
      expect(await accounts(topUp.book)).toMatchObject({ 'card-reversals': -120_00n, 'card-clearing': 0n }),
    );
    expect(await balanceOf(test.billing.postgres, topUp.book)).toBe(100_00n);
  });

  it('of a payment that nobody knows is kept and listed, and books nothing', async () => {
    const offer = await test.openOffer();
    test.webhooks.lost = true;
    await test.pay(offer.sessionId);
    await eventually(() =>
      expect(test.webhooks.sent.some(({ body }) => body.includes(offer.sessionId))).toBe(true),
    );
    test.webhooks.lost = false;
    const id = await test.reverse(`sessions/${offer.sessionId}/refund`);
    await eventually(async () => expect(await listed(id)).toMatchObject({ organisationId: null }));
    expect(await accounts(offer.book)).toEqual({});
  });
});

describe('a dispute', () => {
  it('takes the money when it is withdrawn and gives it back when it is won', async () => {
    const offer = await paidOffer();
    const id = await test.reverse(`sessions/${offer.sessionId}/dispute`);
    await eventually(async () =>
      expect(await accounts(offer.book)).toMatchObject({ 'card-clearing': 0n, 'card-reversals': -1200n }),
    );
    await test.reverse(`disputes/${id}/close`, { outcome: 'won' });
    await eventually(async () =>
      expect(await accounts(offer.book)).toMatchObject({ 'card-clearing': -1200n, 'card-reversals': 0n }),
    );
  });

  it('that is lost stays taken', async () => {
    const offer = await paidOffer();
    const id = await test.reverse(`sessions/${offer.sessionId}/dispute`);
    await test.reverse(`disputes/${id}/close`, { outcome: 'lost' });
    await eventually(async () => expect(await listed(id)).toMatchObject({ reversal: { status: 'lost' } }));
    expect(await accounts(offer.book)).toMatchObject({ 'card-clearing': 0n, 'card-reversals': -1200n });
  });

  it('that is an inquiry only is on record and moves nothing', async () => {
    const offer = await paidOffer();
    const id = await test.reverse(`sessions/${offer.sessionId}/dispute`, { inquiry: true });
    await eventually(async () =>
      expect(await listed(id)).toMatchObject({ reversal: { taken: false, takenPosted: false } }),
    );
    expect(await accounts(offer.book)).toMatchObject({ 'card-clearing': -1200n });
  });
});

it('payment, refund, its failure and a won dispute in any order, repeated and at once, come to the same books', async () => {
  await fc.assert(
    fc.asyncProperty(fc.infiniteStream(fc.nat()), async (chance) => {
      const offer = await test.openOffer();
      test.webhooks.lost = true;
      const before = test.webhooks.sent.length;
      await test.pay(offer.sessionId);
      const refund = await test.reverse(`sessions/${offer.sessionId}/refund`, { amountMinor: 700 });
      await test.reverse(`refunds/${refund}/fail`);
      const second = await test.reverse(`sessions/${offer.sessionId}/refund`, { amountMinor: 200 });
      const dispute = await test.reverse(`sessions/${offer.sessionId}/dispute`, { amountMinor: 900 });
      await test.reverse(`disputes/${dispute}/close`, { outcome: 'won' });
      // Stripe may just be sending one of an earlier offer again.
      const ours = [offer.sessionId, refund, second, dispute];
      const genuine = await eventually(() => {
        const told = test.webhooks.sent.slice(before);
        const some = told.filter(({ body }) => ours.some((id) => body.includes(id)));
        expect(some).toHaveLength(8);
        return some;
      });
      const shuffled = [...genuine, ...genuine]
        .map((webhook) => ({ webhook, place: chance.next().value }))
        .toSorted((one, other) => one.place - other.place);
      // Four at a time.
      for (let start = 0; start < shuffled.length; start += 4) {
        const some = shuffled.slice(start, start + 4);
        expect(await Promise.all(some.map(({ webhook }) => receive(webhook)))).toEqual(
          some.map(() => 'accepted'),
        );
      }
      expect(await accounts(offer.book)).toEqual({
        'card-clearing': -1000n,
        'card-reversals': -200n,
        sales: 1000n,
        'vat-payable': 200n,
      });
    }),
    { numRuns: runs(8, 300) },
  );
}, 300_000);

it('the ledger check finds a refund or a top-up that record and ledger tell differently', async () => {
  const { postgres } = test.billing;
  const problems = async () => (await postgres.transaction((tx) => checkLedger(tx))).problems;
  const offer = await paidOffer();
  const id = await test.reverse(`sessions/${offer.sessionId}/refund`);
  await eventually(async () => expect(await listed(id)).toMatchObject({ reversal: { takenPosted: true } }));
  const topUp = await test.openTopUp();
  await test.pay(topUp.sessionId);
  await eventually(async () => expect(await balanceOf(postgres, topUp.book)).toBe(100_00n));
  expect(await problems()).toEqual([]);

  const told = (booked: boolean) =>
    postgres.query('UPDATE card_reversals SET taken_booked = $2 WHERE reversal_id = $1', [id, booked]);
  const priced = (netMinor: bigint) =>
    postgres.query('UPDATE top_ups SET net_minor = $2 WHERE top_up_id = $1', [topUp.topUpId, netMinor]);
  await told(false);
  await priced(99_00n);
  expect(await problems()).toEqual([
    expect.stringMatching(`^top-up ${topUp.topUpId}: its record says 9900 added`),
    `refund ${id}: its record says 0 taken and 0 returned, the ledger 1200 and 0`,
  ]);
  await told(true);
  await priced(100_00n);
  const renamed = (from: string, to: string) =>
    postgres.query('UPDATE card_reversals SET reversal_id = $2 WHERE reversal_id = $1', [from, to]);
  await renamed(id, 're_another');
  expect(await problems()).toEqual([
    expect.stringMatching(new RegExp(`^transaction \\d+ is of "refund ${id} taken", which has no record$`)),
    'refund re_another: its record says 1200 taken and 0 returned, the ledger 0 and 0',
  ]);
  await renamed('re_another', id);
});
