/** GET /offers/{offer_id}: an item of the listing, with what can be done now. */
import { describe, expect, it } from '@jest/globals';
import { type OfferReply, offerReply } from '@offer-ads/contracts/public/api';
import { byCard, create, createdId, formOf, startingNow } from '../forms.ts';
import { offersUnderTest } from '../offers-under-test.ts';
import { pay } from '../payments.ts';

const under = offersUnderTest();

async function read(id: number): Promise<OfferReply> {
  const { status, body } = await under.call('GET', `/offers/${id}`);
  expect(status).toBe(200);
  return offerReply.parse(body);
}

describe('200', () => {
  it('has what the listing shows of the offer', async () => {
    const id = await createdId(under, startingNow);
    const { body } = await under.call('GET', '/offers?environment=test');
    const [listed] = (body as { data: object[] }).data;
    expect(await read(id)).toEqual({
      ...listed,
      payment_url: null,
      disabled_reason: null,
      actions: ['pause', 'edit', 'delete'],
    });
  });

  it('has the payment link as long as the offer can be paid', async () => {
    const { body } = await create(under, { ...startingNow, ...byCard });
    const { offer_id: id, payment_url: url } = body as { offer_id: number; payment_url: string };
    expect(await read(id)).toMatchObject({ payment_url: url, actions: ['pay', 'edit', 'delete'] });
    await pay(under, id);
    expect(await read(id)).toMatchObject({ payment_url: null, actions: ['pause', 'edit', 'delete'] });
  });

  it.each([
    ['Awaiting Payment', { ...startingNow, ...byCard }, '', '12:00'],
    ['Scheduled', {}, '', '12:00'],
    ['Active', startingNow, '', '12:00'],
    ['Paused', startingNow, 'pause', '12:00'],
    ['Ended', startingNow, '', '23:00'],
  ])('names exactly the commands that an offer accepts that is %s', async (status, parts, before, now) => {
    const commands = [
      ['pause', 'POST', '/pause'],
      ['resume', 'POST', '/resume'],
      ['edit', 'PATCH', ''],
      ['delete', 'DELETE', ''],
    ] as const;
    for (const [action, method, path] of commands) {
      under.clock.set('2026-06-01T12:00:00Z');
      const { body: created } = await create(under, parts);
      const id = (created as { offer_id: number }).offer_id;
      if (before !== '') await under.call('POST', `/offers/${id}/${before}`);
      under.clock.set(`2026-06-01T${now}:00Z`);
      const offer = await read(id);
      expect(offer.offer_status).toBe(status);
      const o = action === 'edit' ? { body: formOf({ title: 'Three for one' }) } : {};
      const { body } = await under.call(method, `/offers/${id}${path}`, o);
      const accepted = (body as { return_code: string }).return_code.startsWith('S');
      expect([action, offer.actions.includes(action)]).toEqual([action, accepted]);
    }
  });
});
