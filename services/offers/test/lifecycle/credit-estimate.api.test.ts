/** POST /offers/{offer_id}/credit-estimate, and the same for the portal: what the deletion then credits, and nothing changes. */
import { describe, expect, it } from '@jest/globals';
import { offerCreditReply } from '@offer-ads/contracts/portal/offers-api';
import { type CreditEstimateReply, creditEstimateReply } from '@offer-ads/contracts/public/api';
import { creditTarget } from '@offer-ads/contracts/values/unused-time';
import { byCard, createdId, startingNow } from '../forms.ts';
import { offersUnderTest } from '../offers-under-test.ts';

const under = offersUnderTest();

async function estimate(id: number): Promise<CreditEstimateReply> {
  const { status, body } = await under.call('POST', `/offers/${id}/credit-estimate`);
  expect(status).toBe(200);
  return creditEstimateReply.parse(body);
}

describe('200', () => {
  it('is the credit of a deletion at the same instant', async () => {
    const id = await createdId(under, startingNow);
    under.clock.set('2026-06-01T14:00:00Z');
    await under.call('POST', `/offers/${id}/pause`);
    under.clock.set('2026-06-01T15:17:31.234Z');
    const { estimated_credit: credit, ...others } = await estimate(id);
    expect(others).toEqual({
      return_code: 'S1',
      offer_id: id,
      status: 'Paused',
      currency: 'GBP',
      cost: 10,
      as_of_datetime: '2026-06-01T15:17:31.234Z',
    });
    const portal = await under.call('GET', `/portal/offers/${id}/credit`);
    expect(offerCreditReply.parse(portal.body)).toMatchObject({
      offer_status: 'Paused',
      cost_minor: '1000',
      credit_minor: `${Math.round(credit * 100)}`,
    });
    await under.call('DELETE', `/offers/${id}`);
    const deleted = (await under.events()).find(({ name }) => name === 'OfferDeleted')?.data;
    const unused = deleted as { unusedMs: number; scheduledMs: number };
    expect(credit).toBeGreaterThan(0);
    expect(Math.round(credit * 100)).toBe(Number(creditTarget(1000n, unused)));
  });

  it('changes nothing: neither the offer nor the credit of a later deletion', async () => {
    const id = await createdId(under);
    const rows = () => under.postgres.query('SELECT * FROM offers WHERE offer_id = $1', [id]);
    const [before, events] = [await rows(), (await under.events()).length];
    const first = await estimate(id);
    expect(await estimate(id)).toEqual(first);
    expect(await rows()).toEqual(before);
    expect(await under.events()).toHaveLength(events);
  });

  it.each([
    ['the whole price before the start', {}, '12:00', 'Scheduled', 10],
    ['nothing while payment is awaited', { ...startingNow, ...byCard }, '12:00', 'Awaiting Payment', 0],
    ['nothing after the end', startingNow, '23:00', 'Ended', 0],
  ])('is %s', async (_, parts, now, status, credit) => {
    const id = await createdId(under, parts);
    under.clock.set(`2026-06-01T${now}:00Z`);
    expect(await estimate(id)).toMatchObject({ status, estimated_credit: credit });
  });
});

it('is 503 while billing is away; the portal shows the offer itself', async () => {
  const id = await createdId(under, startingNow);
  under.otherServices.billing.breaks.beforeWork = Number.POSITIVE_INFINITY;
  for (const [method, path] of [
    ['POST', `/offers/${id}/credit-estimate`],
    ['GET', `/portal/offers/${id}/credit`],
  ] as const)
    expect(await under.call(method, path)).toMatchObject({
      status: 503,
      body: { message: 'Service unavailable' },
    });
  expect((await under.call('GET', `/portal/offers/${id}`)).status).toBe(200);
});
