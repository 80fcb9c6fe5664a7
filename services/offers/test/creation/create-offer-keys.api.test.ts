/** POST /offers: Idempotency-Keys, from the first request on. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { signedCaller } from '@offer-ads/testing/caller';
import { png } from '@offer-ads/testing/pictures/pictures';
import { create, createdId, form, type Parts, usualParts } from '../forms.ts';
import { type Answer, type OffersUnderTest, startOffersUnderTest } from '../offers-under-test.ts';
import { attemptIn, none, nothingBut, refusal, startAfresh, tracesIn } from './creating.ts';

const malformedKey = 'Idempotency-Key must be 1 to 255 printable ASCII characters without spaces';

let under: OffersUnderTest;
beforeAll(async () => {
  under = await startOffersUnderTest();
});
afterAll(async () => {
  await under[Symbol.asyncDispose]();
});
beforeEach(() => startAfresh(under));

const traces = () => tracesIn(under);
const attempt = (parts?: Parts, o?: Parameters<typeof create>[2]) => attemptIn(under, parts, o);

describe('E1 400: Idempotency-Key', () => {
  it('missing or empty', async () => {
    const missing = await under.call('POST', '/offers', { body: await form() });
    expect(missing).toMatchObject(refusal('E1', 400, 'The Idempotency-Key header is missing'));
    expect(await attempt({}, { key: '' })).toEqual(
      nothingBut('E1', 400, 'The Idempotency-Key header is missing'),
    );
  });

  it.each([
    ['with a space', 'a b'],
    ['with a tab', 'a\tb'],
    ['with an accent', '\u00e9'],
    ['of 256 characters', 'x'.repeat(256)],
  ])('%s', async (_, key) => {
    expect(await attempt({}, { key })).toEqual(nothingBut('E1', 400, malformedKey));
  });

  it('sent twice, which could mean either', async () => {
    const body = await form();
    const headers: [string, string][] = [
      ['Idempotency-Key', 'one'],
      ['Idempotency-Key', 'two'],
      ...Object.entries(signedCaller({ audience: 'offers' })),
    ];
    const answer = await fetch(`${under.offers.url}/offers`, { method: 'POST', body, headers });
    expect([answer.status, await answer.json()]).toEqual([400, refusal('E1', 400, malformedKey).body]);
    expect(await traces()).toEqual(none);
  });

  it('but any of 1 to 255 printable characters is taken as it is, in its own case', async () => {
    const ids = new Set<number>();
    for (const key of ['k', 'K', '"k"', 'k,k', '%6B', '!~', 'x'.repeat(255)])
      ids.add(await createdId(under, {}, { key }));
    expect(ids.size).toBe(7);
  });
});

describe('replay', () => {
  it('gives the original reply unchanged and creates nothing', async () => {
    const key = randomUUID();
    const first = await create(under, { payment_method: 'E' }, { key });
    const again = await create(under, { payment_method: 'E' }, { key });
    expect(again.body).toEqual(first.body);
    expect(again.status).toBe(200);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(under.otherServices.billing.sales.size).toBe(1);
    expect(under.otherServices.pricing.asked).toBe(1);
  });

  it('still answers after the start has passed, the terms have changed, or the offer was deleted', async () => {
    const key = randomUUID();
    const first = await create(under, {}, { key });
    await under.call('DELETE', `/offers/${(first.body as { offer_id: number }).offer_id}`);
    under.clock.advance(400 * 86_400_000);
    const again = await create(under, {}, { key, caller: { termsAccepted: false } });
    under.clock.set('2026-06-01T12:00:00Z');
    expect(again.body).toEqual(first.body);
  });

  it('takes fields in another order for the same payload', async () => {
    const key = randomUUID();
    const first = await create(under, {}, { key });
    const reversed = new FormData();
    for (const [name, value] of [...(await form())].toReversed().filter(([name]) => name !== 'location[]')) {
      reversed.append(name, value);
    }
    for (const degrees of usualParts['location[]'] as string[]) reversed.append('location[]', degrees);
    const again = await under.call('POST', '/offers', {
      body: reversed,
      headers: { 'Idempotency-Key': key },
    });
    expect(again.body).toEqual(first.body);
  });

  it('keeps the keys of organisations and modes apart', async () => {
    const key = randomUUID();
    const ids = new Set([
      await createdId(under, {}, { key }),
      await createdId(under, {}, { key, caller: { organisationId: 2 } }),
      await createdId(under, { environment: 'LIVE' }, { key, caller: { mode: 'LIVE' } }),
    ]);
    expect(ids.size).toBe(3);
  });
});

describe('422: key reused with a different payload', () => {
  it.each([
    ['a field', { title: 'Three for one' }, undefined],
    ['an unknown field', { extra: 'x' }, undefined],
    ['the picture', {}, () => png()],
  ])('when %s differs', async (_, parts, picture) => {
    const key = randomUUID();
    await createdId(under, {}, { key });
    const answer = await create(under, parts, { key, ...(picture && { picture: await picture() }) });
    expect(answer.status).toBe(422);
    expect(answer.body).toEqual({ message: 'This Idempotency-Key was used with a different payload' });
  });
});

describe('while the first request is in flight', () => {
  it('the same payload is 409 with Retry-After and a different one 422', async () => {
    const key = randomUUID();
    const others: Promise<Answer[]>[] = [];
    under.otherServices.billing.onSale = async () => {
      const racing = Promise.all([create(under, {}, { key }), create(under, { title: 'Other' }, { key })]);
      others.push(racing);
      await racing;
    };
    expect((await create(under, {}, { key })).body).toMatchObject({ return_code: 'S1' });
    const [same, different] = (await others[0])!;
    expect(same!.status).toBe(409);
    expect(same!.body).toEqual({ message: 'A request with this Idempotency-Key is still being processed' });
    expect(same!.headers.get('retry-after')).toBe('1');
    expect(different!.status).toBe(422);
    expect(under.otherServices.billing.charges()).toBe(1);
  });
});
