/** Idempotency keys (decision 10): every refusal frees the key, and a replay of a success has the same bytes for ever. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { signedCaller } from '@offer-ads/testing/caller';
import { create, form, type Parts } from '../forms.ts';
import {
  type CallOptions,
  type OffersUnderTest,
  patiently,
  startOffersUnderTest,
} from '../offers-under-test.ts';

const DAY_MS = 24 * 3_600_000;

let under: OffersUnderTest;
beforeAll(async () => {
  under = await startOffersUnderTest();
});
afterAll(async () => {
  await under[Symbol.asyncDispose]();
});
beforeEach(async () => {
  under.otherServices.reset();
  under.clock.set('2026-06-01T12:00:00Z');
  await under.postgres.query('DELETE FROM idempotency_keys');
  await under.postgres.query('DELETE FROM offers');
  await under.clearEvents();
});

type Refused = {
  readonly parts?: Parts;
  readonly caller?: CallOptions['caller'];
  readonly world?: () => void;
  readonly code: string;
  /** Once what the caller was refused for is over, the same request passes. */
  readonly sameRequestPasses: boolean;
};

const set = (service: 'pricing' | 'moderation' | 'billing', facts: object) => () =>
  void Object.assign(under.otherServices[service], facts);

const refusals: Record<string, Refused> = {
  'a field that breaks its rule': { parts: { radius: '31' }, code: 'E1', sameRequestPasses: false },
  'the other mode': { parts: { environment: 'LIVE' }, code: 'E1', sameRequestPasses: false },
  'a start that has passed': {
    parts: { start_datetime: '2026-06-01T11:58:59Z' },
    code: 'E1',
    sameRequestPasses: false,
  },
  'an unknown category': { parts: { category_id: '9' }, code: 'E1', sameRequestPasses: false },
  'an unknown interest': { parts: { 'interests[]': '9' }, code: 'E1', sameRequestPasses: false },
  'terms not accepted': { caller: { termsAccepted: false }, code: 'E9', sameRequestPasses: true },
  'a currency that is not billed': {
    world: set('pricing', { costMinor: null }),
    code: 'E6',
    sameRequestPasses: true,
  },
  'nobody to reach': { world: set('pricing', { matchingUsers: 0 }), code: 'E5', sameRequestPasses: true },
  'a price below the card minimum': {
    parts: { payment_method: 'E' },
    world: set('pricing', { costMinor: 29n }),
    code: 'E1',
    sameRequestPasses: true,
  },
  "a price below the provider's own minimum": {
    parts: { payment_method: 'E' },
    world: set('billing', { tooSmall: true }),
    code: 'E1',
    sameRequestPasses: true,
  },
  'a full quota': {
    caller: { quota: { perPerson: 0, perOrganisation: 9 } },
    code: 'E4',
    sameRequestPasses: true,
  },
  'a balance that is too low': {
    world: set('billing', { balanceMinor: 999n }),
    code: 'E3',
    sameRequestPasses: true,
  },
  'a balance that is gone by the time of the charge': {
    world: set('billing', { spent: true }),
    code: 'E3',
    sameRequestPasses: true,
  },
  'a picture that cannot be read': {
    world: set('moderation', { verdict: 'unreadable' }),
    code: 'E1',
    sameRequestPasses: true,
  },
  'a picture that is refused': {
    world: set('moderation', { verdict: 'refused' }),
    code: 'E2',
    sameRequestPasses: true,
  },
};

describe.each(Object.entries(refusals))('refused for %s', (_, refused) => {
  async function beRefused(key: string): Promise<void> {
    refused.world?.();
    const answer = await create(under, refused.parts, {
      key,
      ...(refused.caller && { caller: refused.caller }),
    });
    expect(answer.body).toMatchObject({ return_code: refused.code });
    expect(await under.postgres.query('SELECT 1 FROM idempotency_keys')).toEqual([]);
    expect(await under.postgres.query('SELECT 1 FROM offers')).toEqual([]);
    under.otherServices.reset();
  }

  it('the key is free for a corrected request', async () => {
    const key = randomUUID();
    await beRefused(key);
    const answer = await create(under, { title: 'Corrected' }, { key });
    expect(answer).toMatchObject({ status: 200, body: { return_code: 'S1' } });
    expect(answer.headers.get('idempotent-replayed')).toBeNull();
  });

  if (refused.sameRequestPasses) {
    it('the same request passes with the same key once the reason is gone', async () => {
      const key = randomUUID();
      await beRefused(key);
      expect(await create(under, refused.parts, { key })).toMatchObject({
        status: 200,
        body: { return_code: 'S1' },
      });
    });
  }
});

describe.each(['B', 'E'])('a success (%s)', (method) => {
  const parts = { payment_method: method };

  /** As it goes over the wire. */
  async function send(key: string, caller = {}) {
    const response = await patiently(async () =>
      fetch(`${under.offers.url}/offers`, {
        method: 'POST',
        headers: { ...signedCaller({ audience: 'offers', ...caller }), 'Idempotency-Key': key },
        body: await form(parts),
      }),
    );
    const { headers } = response;
    const bytes = Buffer.from(await response.arrayBuffer()).toString('latin1');
    return {
      told: { status: response.status, type: headers.get('content-type'), bytes },
      isReplay: headers.get('idempotent-replayed') === 'true',
    };
  }

  it('is told again in the same bytes months later, after the end, after the deletion, and when nobody else answers', async () => {
    const key = randomUUID();
    const { told: first } = await send(key);
    const { offer_id: id } = JSON.parse(first.bytes) as { offer_id: number };
    expect(first.status).toBe(200);
    const { pricing, moderation, billing } = under.otherServices;
    const [asked, judged] = [pricing.asked, moderation.asked];

    under.clock.set('2026-06-01T13:01:01Z');
    expect(await send(key, { termsAccepted: false })).toEqual({ told: first, isReplay: true });
    for (const { breaks } of [pricing, moderation, billing]) breaks.beforeWork = 99;
    expect(await send(key)).toEqual({ told: first, isReplay: true });
    billing.breaks.beforeWork = 0;
    expect((await under.call('DELETE', `/offers/${id}`)).status).toBe(200);
    expect(await send(key)).toEqual({ told: first, isReplay: true });
    under.clock.advance(200 * DAY_MS);
    await under.offers.sweeper.recover();
    await under.offers.sweeper.announce();
    expect(await send(key, { quota: { perPerson: 0, perOrganisation: 0 } })).toEqual({
      told: first,
      isReplay: true,
    });
    expect([pricing.asked, moderation.asked]).toEqual([asked, judged]);
    expect(await under.postgres.query('SELECT 1 FROM offers')).toHaveLength(1);
    expect((await create(under, { ...parts, title: 'Other' }, { key })).status).toBe(422);
  });
});
