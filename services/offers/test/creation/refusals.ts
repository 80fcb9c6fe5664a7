/** Everything that can refuse POST /offers, in the order of decision 9, order of checks, with the whole reply. */
import { expect } from '@jest/globals';
import type { CallerContext } from '@offer-ads/contracts/internal/caller-context';
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

/** The whole body (decision 19, bodies of refusals). */
export function coded(code: string, status: number, message: unknown) {
  return { status, body: { return_code: code, status: 'Error', code: status, message } };
}

const set =
  (service: 'pricing' | 'moderation' | 'billing', facts: object): Reason['spoil'] =>
  (_, under) =>
    void Object.assign(under.otherServices[service], facts);

export const differentPayload = {
  status: 422,
  body: { message: 'This Idempotency-Key was used with a different payload' },
};
export const keyOfAnotherPayload = 'a-key-of-another-payload';
const tooLow = coded('E3', 200, "The balance is below the offer's cost of 10.00 GBP");
export const minimumIs = (amount: string) => coded('E1', 400, `A card payment must be at least ${amount}`);
export const maximumIs = (amount: string) =>
  coded('E1', 400, `A card payment must be at most ${amount}, VAT included`);

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
    reply: coded('E1', 400, 'The Idempotency-Key header is missing'),
  },
  {
    name: 'a field that is sent twice',
    spoil: (it) => void (it.parts['title'] = ['a', 'b']),
    reply: coded('E1', 400, 'title must be sent once'),
  },
  {
    name: 'the other mode',
    spoil: (it) => void (it.parts['environment'] = 'LIVE'),
    reply: coded('E1', 403, 'This key works in TEST mode only, environment must be TEST'),
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
    reply: coded('E1', 400, 'start_datetime must not be more than 60 seconds in the past'),
  },
  {
    name: 'an inactive category',
    spoil: (it) => void (it.parts['category_id'] = '2'),
    reply: coded('E1', 400, 'category_id must be an id from GET /categories'),
  },
  {
    name: 'inactive and unknown interests',
    spoil: (it) => void (it.parts['interests[]'] = ['3', '999', '1']),
    reply: coded('E1', 400, 'interests[] must be ids from GET /interests, which 3, 999 is not'),
  },
  {
    name: 'terms that are not accepted',
    spoil: (it) => void (it.caller = { ...it.caller, termsAccepted: false }),
    reply: coded(
      'E9',
      403,
      'The organisation has not accepted the current advertising terms. An organisation admin must accept them in the advertiser portal, then this request can be retried with the same Idempotency-Key',
    ),
  },
  {
    name: 'a quote that pricing did not give',
    spoil: (it, under) => {
      it.parts['quote_id'] = 'made.up';
      under.otherServices.pricing.quoteRefusal = { outcome: 'refused', reason: 'unknown' };
    },
    reply: coded('E1', 400, 'quote_id must be the quote_id of a price estimate'),
  },
  {
    name: 'a currency that cannot be billed',
    spoil: set('pricing', { costMinor: null }),
    reply: coded('E6', 400, 'The billing currency GBP cannot be billed at present. You were not charged'),
  },
  {
    name: 'nobody who matches',
    spoil: set('pricing', { matchingUsers: 0 }),
    reply: coded('E5', 400, 'No users match the targeting'),
  },
  {
    name: 'a price below the card minimum',
    only: 'E',
    spoil: (_, { otherServices: { pricing } }) =>
      void (pricing.costMinor = pricing.costMinor === null ? null : 29n),
    reply: minimumIs('0.30 GBP'),
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
    name: 'a picture that failed moderation',
    spoil: set('moderation', { verdict: 'refused' }),
    reply: coded('E2', 200, 'The image failed moderation: the picture looks explicit'),
  },
];

/** Further refusals, which never meet those above in one request, or come from billing at the charge. */
export const refusedByOthers: readonly Reason[] = [
  ...(
    [
      [
        { reason: 'foreign' },
        'quote_id was given to another organisation, mode or billing currency. Ask for an estimate of your own',
      ],
      [{ reason: 'expired' }, 'quote_id has expired, a quote is valid for 5 minutes. Ask for a new estimate'],
      [
        { reason: 'differs', fields: ['startAt'] },
        'quote_id is for another offer, its estimate differs in start_datetime. Send the values of the estimate, or ask for a new one',
      ],
      [
        { reason: 'differs', fields: ['endAt', 'location', 'radiusMiles', 'gender', 'interests'] },
        'quote_id is for another offer, its estimate differs in expiry_datetime, location[], radius, gender[], interests[]. Send the values of the estimate, or ask for a new one',
      ],
    ] as const
  ).map(
    ([refusal, message]): Reason => ({
      name: `a quote: ${JSON.stringify(refusal)}`,
      spoil: (it, { otherServices: { pricing } }) => {
        it.parts['quote_id'] = 'a.quote';
        pricing.quoteRefusal = { outcome: 'refused', ...structuredClone(refusal) } as NonNullable<
          typeof pricing.quoteRefusal
        >;
      },
      reply: coded('E1', 400, message),
    }),
  ),
  {
    name: 'latitude and longitude the wrong way round',
    spoil: set('pricing', { matchingUsers: 0, isPlaceSwapped: true }),
    reply: coded(
      'E5',
      400,
      'No users match the targeting, but some would with the two numbers of location[] exchanged: latitude comes first, then longitude',
    ),
  },
  {
    name: 'a picture that moderation cannot read',
    spoil: set('moderation', { verdict: 'unreadable' }),
    reply: coded('E1', 400, 'image is damaged or incomplete'),
  },
  {
    name: 'a category of another organisation',
    spoil: (it) => void (it.parts['category_id'] = '3'),
    reply: coded('E1', 400, 'category_id must be an id from GET /categories'),
  },
  {
    name: 'a balance that is spent by the time of the charge',
    only: 'B',
    spoil: set('billing', { spent: true }),
    reply: tooLow,
  },
  {
    name: "a price below the card provider's own minimum",
    only: 'E',
    spoil: set('billing', { tooSmall: true }),
    reply: minimumIs('0.30 GBP'),
  },
  {
    name: "a price above the card provider's maximum with VAT",
    only: 'E',
    spoil: set('billing', { tooLarge: true }),
    reply: maximumIs('999999.99 GBP'),
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
