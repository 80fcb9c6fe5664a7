/** POST /offers: Idempotency-Keys (decision 10, idempotency keys). */

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { DAY_MS } from '@offer-ads/contracts/values/durations';
import { signedCaller } from '@offer-ads/testing/caller';
import { png } from '@offer-ads/testing/pictures/pictures';
import { create, createdId, form, live } from '../forms.ts';
import { type Answer, offersUnderTest, patiently } from '../offers-under-test.ts';
import { created, nothing, tracesIn } from './creating.ts';
import { coded, differentPayload } from './refusals.ts';

const under = offersUnderTest();

describe('a key', () => {
  it('that is sent twice is E1 400, because either could be meant', async () => {
    const caller = Object.entries(signedCaller({ audience: 'offers' }));
    const keys = ['one', 'two'].map((key) => ['Idempotency-Key', key] as const);
    const headers = [...keys, ...caller] as [string, string][];
    const answer = await fetch(`${under.offers.url}/offers`, { method: 'POST', body: await form(), headers });
    const message = 'Idempotency-Key must be 1 to 255 printable ASCII characters without spaces';
    expect({ status: answer.status, body: await answer.json() }).toEqual(coded('E1', 400, message));
    expect(await tracesIn(under)).toEqual(nothing);
  });

  it('is taken as it is, in its own case', async () => {
    const ids = new Set<number>();
    for (const key of ['k', 'K', '"k"', '%6B']) ids.add(await createdId(under, {}, { key }));
    expect(ids.size).toBe(4);
  });

  it('belongs to one organisation and mode', async () => {
    const key = randomUUID();
    const ids = new Set([
      await createdId(under, {}, { key }),
      await createdId(under, {}, { key, caller: { organisationId: 2 } }),
      await createdId(under, live[0], { key, ...live[1] }),
    ]);
    expect(ids.size).toBe(3);
  });
});

describe.each(['B', 'E'])('a replay of a success (%s)', (payment_method) => {
  const parts = { payment_method };

  /** The reply as it goes over the wire. */
  async function send(key: string, caller = {}) {
    const response = await patiently(async () =>
      fetch(`${under.offers.url}/offers`, {
        method: 'POST',
        headers: { ...signedCaller({ audience: 'offers', ...caller }), 'Idempotency-Key': key },
        body: await form(parts),
      }),
    );
    const { status, headers } = response;
    const bytes = Buffer.from(await response.arrayBuffer()).toString('latin1');
    return {
      reply: { status, type: headers.get('content-type'), bytes },
      isReplay: headers.get('idempotent-replayed') === 'true',
    };
  }

  it('has the same bytes for ever: after the start, the deletion, and months, and when no other service answers', async () => {
    const key = randomUUID();
    const { reply, isReplay } = await send(key);
    expect([reply.status, isReplay]).toEqual([200, false]);
    const { offer_id: id } = JSON.parse(reply.bytes) as { offer_id: number };
    const { pricing, moderation, billing } = under.otherServices;

    under.clock.set('2026-06-01T13:01:01Z');
    expect(await send(key, { termsAccepted: false })).toEqual({ reply, isReplay: true });
    for (const { breaks } of [pricing, moderation, billing]) breaks.beforeWork = 99;
    expect(await send(key)).toEqual({ reply, isReplay: true });
    billing.breaks.beforeWork = 0;
    expect((await under.call('DELETE', `/offers/${id}`)).status).toBe(200);
    expect(await send(key)).toEqual({ reply, isReplay: true });
    await under.sweepAfter(200 * DAY_MS);
    await under.offers.sweeper.announce();
    const noQuota = { quota: { perPerson: 0, perOrganisation: 0 } };
    expect(await send(key, noQuota)).toEqual({ reply, isReplay: true });
    expect([pricing.asked, moderation.asked, await under.count('offers')]).toEqual([1, 1, 1]);
    expect(await create(under, { ...parts, title: 'Other' }, { key })).toMatchObject(differentPayload);
  });
});

it('a request with the key and another picture is another payload: 422', async () => {
  const key = randomUUID();
  await createdId(under, {}, { key });
  expect(await create(under, {}, { key, picture: await png() })).toMatchObject(differentPayload);
});

it('while the first request is running, the same payload is 409 with Retry-After and another one 422', async () => {
  const key = randomUUID();
  let others: Answer[] = [];
  under.otherServices.billing.onSale = async () => {
    others = await Promise.all([create(under, {}, { key }), create(under, { title: 'Other' }, { key })]);
  };
  expect(await create(under, {}, { key })).toMatchObject(created);
  const [same, different] = others;
  expect(same).toMatchObject({
    status: 409,
    body: { message: 'A request with this Idempotency-Key is still being processed' },
  });
  expect(same?.headers.get('retry-after')).toBe('1');
  expect(different).toMatchObject(differentPayload);
  expect(under.otherServices.billing.charges()).toBe(1);
});
