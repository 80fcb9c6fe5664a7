/** POST /offers: which refusal is told of a request that deserves several. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { CallerContext } from '@offer-ads/contracts/internal/caller-context';
import { createdId, form, type Parts } from '../forms.ts';
import { type OffersUnderTest, startOffersUnderTest } from '../offers-under-test.ts';
import { categoryRule, interestRule, radiusRule } from './create-fields.ts';
import { atLeast, notBilled, refusal, startAfresh, termsNotAccepted, tooLow } from './creating.ts';

let under: OffersUnderTest;
beforeAll(async () => {
  under = await startOffersUnderTest();
});
afterAll(async () => {
  await under[Symbol.asyncDispose]();
});
beforeEach(() => startAfresh(under));

describe('the order of checks (decision 9)', () => {
  type Attempt = { parts: Parts; key: string | undefined; caller: Partial<CallerContext> | null };
  type Check = {
    readonly name: string;
    /** Makes a request that would be refused here. */
    readonly spoil: (attempt: Attempt) => void;
    readonly refusal: { status: number; body: object };
  };
  const usedKey = 'a-key-of-another-payload';
  const pricing = (facts: object) => Object.assign(under.otherServices.pricing, facts);
  const first: readonly Check[] = [
    {
      name: '401',
      spoil: (it) => (it.caller = null),
      refusal: { status: 401, body: { message: 'Unauthorised' } },
    },
    {
      name: 'Idempotency-Key present',
      spoil: (it) => (it.key = undefined),
      refusal: refusal('E1', 400, 'The Idempotency-Key header is missing'),
    },
    {
      name: 'shape of the form',
      spoil: (it) => (it.parts['title'] = ['a', 'b']),
      refusal: refusal('E1', 400, 'title must be sent once'),
    },
    {
      name: 'environment',
      spoil: (it) => (it.parts['environment'] = 'LIVE'),
      refusal: refusal('E1', 403, 'This key works in TEST mode only, environment must be TEST'),
    },
    {
      name: 'field rules',
      spoil: (it) => (it.parts['radius'] = '4'),
      refusal: refusal('E1', 400, radiusRule),
    },
    {
      name: 'key look-up',
      spoil: (it) => (it.key = usedKey),
      refusal: { status: 422, body: { message: 'This Idempotency-Key was used with a different payload' } },
    },
    {
      name: 'clock rules',
      spoil: (it) => (it.parts['start_datetime'] = '2026-06-01T11:58:00Z'),
      refusal: refusal('E1', 400, 'start_datetime must not be more than 60 seconds in the past'),
    },
    {
      name: 'catalogue ids',
      spoil: (it) => (it.parts['category_id'] = '2'),
      refusal: refusal('E1', 400, categoryRule),
    },
    {
      name: 'catalogue ids, of interests',
      spoil: (it) => (it.parts['interests[]'] = '3'),
      refusal: refusal('E1', 400, `${interestRule}, which 3 is not`),
    },
    {
      name: 'E9',
      spoil: (it) => (it.caller = { ...it.caller, termsAccepted: false }),
      refusal: refusal('E9', 403, termsNotAccepted),
    },
    {
      name: 'E6',
      spoil: () => pricing({ costMinor: null }),
      refusal: refusal('E6', 400, notBilled('GBP')),
    },
    {
      name: 'E5',
      spoil: () => pricing({ matchingUsers: 0 }),
      refusal: refusal('E5', 400, 'No users match the targeting'),
    },
  ];
  const cardMinimum: Check = {
    name: 'card minimum',
    spoil: () => {
      if (under.otherServices.pricing.costMinor !== null) pricing({ costMinor: 29n });
    },
    refusal: refusal('E1', 400, atLeast('0.30 GBP')),
  };
  const quota: Check = {
    name: 'E4',
    spoil: (it) => (it.caller = it.caller && { ...it.caller, quota: { perPerson: 1, perOrganisation: 9 } }),
    refusal: refusal('E4', 400, 'Offer quota exceeded: this user may have 1 offers at a time and has 1'),
  };
  const balance: Check = {
    name: 'E3',
    spoil: () => (under.otherServices.billing.balanceMinor = 9_99n),
    refusal: refusal('E3', 200, tooLow),
  };
  const moderation: Check = {
    name: 'E2',
    spoil: () => (under.otherServices.moderation.verdict = 'refused'),
    refusal: refusal('E2', 200, 'The image failed moderation: the picture looks explicit'),
  };

  it.each([
    ['E', [...first, cardMinimum, quota, moderation]],
    ['B', [...first, quota, balance, moderation]],
  ] as const)(
    'is told step by step to who corrects one fault after the other, by %s',
    async (method, checks) => {
      await createdId(under, {}, { key: usedKey });
      await under.clearEvents();
      const told: string[] = [];
      for (const [step, check] of checks.entries()) {
        under.otherServices.reset();
        const it: Attempt = { parts: { payment_method: method }, key: randomUUID(), caller: {} };
        for (const fault of checks.slice(step).toReversed()) fault.spoil(it);
        const answer = await under.call('POST', '/offers', {
          body: await form(it.parts),
          ...(it.caller && { caller: it.caller }),
          headers: {
            ...(it.key !== undefined && { 'Idempotency-Key': it.key }),
            ...(it.caller === null && { 'x-caller-context': 'x' }),
          },
        });
        expect([check.name, answer.status, answer.body]).toEqual([
          check.name,
          check.refusal.status,
          check.refusal.body,
        ]);
        told.push(check.name);
      }
      expect(told).toHaveLength(checks.length);
      expect(await under.events()).toEqual([]);
      expect(under.otherServices.billing.sales.size).toBe(0);
      expect(await under.postgres.query('SELECT 1 FROM offers')).toHaveLength(1);
    },
  );
});
