/** Everything that can refuse POST /offers, in the order of decision 9, order of checks, with the whole reply. */
import { expect } from '@jest/globals';
import type { CallerContext } from '@offer-ads/contracts/internal/caller-context';
import { type AnyCreateRefusal, replyToCreateRefusal } from '../../src/http/replies.ts';
import { byCard, create, type Parts } from '../forms.ts';
import type { OffersUnderTest } from '../offers-under-test.ts';

/** A request, and the world that it meets; a refusal spoils one of them. */
export type Attempt = { parts: Parts; key: string | undefined; caller: Partial<CallerContext> | null };

export type Reason = {
  readonly name: string;
  /** For offers of this payment method only. */
  readonly only?: 'E' | 'B';
  readonly spoil: (attempt: Attempt, under: OffersUnderTest) => void;
  readonly reply: { readonly status: number; readonly body: object };
};

/** The reply with the words of replies.ts, which trials/guides compares with the guide of errors: status, code and message. */
export function because(refusal: AnyCreateRefusal) {
  const { status, body } = replyToCreateRefusal(refusal);
  return { status, body };
}

/** The whole body (decision 19, bodies of refusals). */
export function coded(code: string, status: number, message: unknown) {
  return { status, body: { return_code: code, status: 'Error', code: status, message } };
}

const set =
  (service: 'pricing' | 'moderation' | 'billing', facts: object): Reason['spoil'] =>
  (_, under) =>
    void Object.assign(under.otherServices[service], facts);

export const differentPayload = because({ reason: 'different-payload' });
export const keyOfAnotherPayload = 'a-key-of-another-payload';
const aboveLimit = because({
  reason: 'above-limit',
  whose: 'key',
  exceeded: { per: 'day', limitMinor: '6000', leftMinor: '999', costMinor: '1000' },
  currency: 'GBP',
});
const limited = (it: Attempt): void => {
  const spending = { spender: 'key/1', access: 'full', perDayMinor: '6000', perMonthMinor: null } as const;
  it.caller = it.caller && { ...it.caller, spending };
};
const tooLow = because({ reason: 'balance-too-low', netMinor: 10_00n, currency: 'GBP' });
export const minimumIs = (minimumMinor: bigint, currency: string) =>
  because({ reason: 'below-minimum', minimumMinor, currency });
export const maximumIs = (maximumMinor: bigint, currency: string) =>
  because({ reason: 'above-maximum', maximumMinor, currency });

/** Refusals before a creation begins: they touch no key. */
export const refusedRequests: readonly Reason[] = [
  {
    name: 'no caller',
    spoil: (it) => void (it.caller = null),
    reply: { status: 401, body: { message: 'Unauthorised' } },
  },
  {
    name: 'no Idempotency-Key',
    spoil: (it) => void (it.key = undefined),
    reply: because({ reason: 'key-missing' }),
  },
  {
    name: 'a field that is sent twice',
    spoil: (it) => void (it.parts['title'] = ['a', 'b']),
    reply: coded('E1', 400, 'title must be sent once'),
  },
  {
    name: 'the other mode',
    spoil: (it) => void (it.parts['environment'] = 'LIVE'),
    reply: because({ reason: 'other-mode', keyMode: 'TEST' }),
  },
  {
    name: 'a field that breaks its rule',
    spoil: (it) => void (it.parts['radius'] = '4'),
    reply: coded('E1', 400, 'radius must be a whole number of miles from 5 to 30'),
  },
  {
    name: 'a key of another payload',
    spoil: (it) => void (it.key = keyOfAnotherPayload),
    reply: differentPayload,
  },
];

/** Refusals of a creation that has begun: each frees the key. */
export const refusedCreations: readonly Reason[] = [
  {
    name: 'a start more than 60 seconds in the past',
    spoil: (it) => void (it.parts['start_datetime'] = '2026-06-01T11:58:59.999Z'),
    reply: because({ reason: 'start-in-past' }),
  },
  {
    name: 'an inactive category',
    spoil: (it) => void (it.parts['category_id'] = '2'),
    reply: because({ reason: 'unknown-category' }),
  },
  {
    name: 'inactive and unknown interests',
    spoil: (it) => void (it.parts['interests[]'] = ['3', '999', '1']),
    reply: because({ reason: 'unknown-interests', ids: [3, 999] }),
  },
  {
    name: 'terms that are not accepted',
    spoil: (it) => void (it.caller = { ...it.caller, termsAccepted: false }),
    reply: because({ reason: 'terms-not-accepted' }),
  },
  {
    name: 'a key that may not pay from the balance',
    only: 'B',
    spoil: (it) => {
      const spending = {
        spender: 'key/1',
        access: 'no-spending',
        perDayMinor: null,
        perMonthMinor: null,
      } as const;
      it.caller = it.caller && { ...it.caller, spending };
    },
    reply: because({ reason: 'may-not-spend' }),
  },
  {
    name: 'a quote that pricing did not give',
    spoil: (it, under) => {
      it.parts['quote_id'] = 'made.up';
      under.otherServices.pricing.quoteRefusal = { outcome: 'refused', reason: 'unknown' };
    },
    reply: because({ reason: 'quote-unknown' }),
  },
  {
    name: 'a currency that cannot be billed',
    spoil: set('pricing', { costMinor: null }),
    reply: because({ reason: 'currency-not-billed', currency: 'GBP' }),
  },
  {
    name: 'nobody who matches',
    spoil: set('pricing', { matchingUsers: 0 }),
    reply: because({ reason: 'no-matching-users' }),
  },
  {
    name: 'a price below the card minimum',
    only: 'E',
    spoil: (_, { otherServices: { pricing } }) =>
      void (pricing.costMinor = pricing.costMinor === null ? null : 29n),
    reply: minimumIs(30n, 'GBP'),
  },
  {
    name: 'a full quota',
    spoil: (it) =>
      void (it.caller = it.caller && { ...it.caller, quota: { perPerson: 0, perOrganisation: 9 } }),
    reply: coded(
      'E4',
      400,
      expect.stringMatching(/^Offer quota exceeded: this user may have 0 offers at a time and has \d$/),
    ),
  },
  {
    name: 'a balance below the cost',
    only: 'B',
    spoil: set('billing', { balanceMinor: 9_99n }),
    reply: tooLow,
  },
  {
    name: 'a cost above what is left of a spending limit',
    spoil: (it, { otherServices: { billing } }) => {
      limited(it);
      billing.leftMinor = 9_99n;
    },
    reply: aboveLimit,
  },
  {
    name: 'a picture that failed moderation',
    spoil: set('moderation', { verdict: 'refused' }),
    reply: because({ reason: 'image-refused', because: 'the picture looks explicit' }),
  },
];

/** Further refusals, which never meet those above in one request, or come from billing at the charge. */
export const refusedByOthers: readonly Reason[] = [
  ...(
    [
      { reason: 'foreign' },
      { reason: 'expired' },
      { reason: 'differs', fields: ['startAt'] },
      { reason: 'differs', fields: ['endAt', 'location', 'radiusMiles', 'gender', 'interests'] },
    ] as const
  ).map(
    (refusal): Reason => ({
      name: `a quote: ${JSON.stringify(refusal)}`,
      spoil: (it, { otherServices: { pricing } }) => {
        it.parts['quote_id'] = 'a.quote';
        pricing.quoteRefusal = { outcome: 'refused', ...structuredClone(refusal) } as NonNullable<
          typeof pricing.quoteRefusal
        >;
      },
      reply: because({ ...refusal, reason: `quote-${refusal.reason}` } as AnyCreateRefusal),
    }),
  ),
  {
    name: 'latitude and longitude the wrong way round',
    spoil: set('pricing', { matchingUsers: 0, isPlaceSwapped: true }),
    reply: because({ reason: 'swapped-place' }),
  },
  {
    name: 'a cost above max_cost',
    spoil: (it) => void (it.parts['max_cost'] = '9.99'),
    reply: because({ reason: 'above-max-cost', netMinor: 10_00n, maxCost: '9.99', currency: 'GBP' }),
  },
  {
    name: 'a picture that moderation cannot read',
    spoil: set('moderation', { verdict: 'unreadable' }),
    reply: because({ reason: 'image-unreadable', problem: 'image is damaged or incomplete' }),
  },
  {
    name: 'a category of another organisation',
    spoil: (it) => void (it.parts['category_id'] = '3'),
    reply: because({ reason: 'unknown-category' }),
  },
  {
    name: 'a balance that is spent by the time of the charge',
    only: 'B',
    spoil: set('billing', { spent: true }),
    reply: tooLow,
  },
  {
    name: 'a limit that is used up by the time of the charge',
    spoil: (it, { otherServices: { billing } }) => {
      limited(it);
      billing.leftAtSaleMinor = 9_99n;
    },
    reply: aboveLimit,
  },
  {
    name: "a price below the card provider's own minimum",
    only: 'E',
    spoil: set('billing', { tooSmall: true }),
    reply: minimumIs(30n, 'GBP'),
  },
  {
    name: "a price above the card provider's maximum with VAT",
    only: 'E',
    spoil: set('billing', { tooLarge: true }),
    reply: maximumIs(999_999_99n, 'GBP'),
  },
];

/** Sends the request that the reasons spoil. */
export function attempt(under: OffersUnderTest, method: 'E' | 'B', key: string, reasons: readonly Reason[]) {
  const it: Attempt = { parts: method === 'E' ? { ...byCard } : {}, key, caller: {} };
  // The first reason last, so that it decides where two spoil the same part.
  for (const { spoil } of reasons.toReversed()) spoil(it, under);
  return create(under, it.parts, {
    ...(it.caller && { caller: it.caller }),
    headers: {
      ...(it.key === undefined ? { 'Idempotency-Key': '' } : { 'Idempotency-Key': it.key }),
      ...(it.caller === null && { 'x-caller-context': 'x' }),
    },
  });
}
