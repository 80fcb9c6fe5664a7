/**
 * Every refusal of every endpoint as callers read it: the specification's tables of codes, with decisions 19, bodies of refusals, and 20,
 * offers not found.
 */

import type { QuotedField } from '@offer-ads/contracts/internal/pricing-api';
import { MAX_CSV_ROWS } from '@offer-ads/contracts/portal/offers-api';
import type { Refusal } from '@offer-ads/contracts/public/api';
import { formatMinor } from '@offer-ads/contracts/values/currencies';
import { MAX_DAYS } from '@offer-ads/contracts/values/day-range';
import { idempotencyKeyRule } from '@offer-ads/contracts/values/idempotency-key';
import { offerLimits } from '@offer-ads/contracts/values/offer-limits';
import { placeName } from '@offer-ads/contracts/values/places';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { Response } from 'express';
import type { CatalogueRefusal } from '../catalogue-store.ts';
import type { CreateRefusal } from '../creation/create-offer.ts';
import { notAnImageOffer, notAQuote } from '../domain/creation/offer-form.ts';
import type { AskForReviewRefusal, ReviewRefusal } from '../domain/lifecycle/edit-content.ts';
import type {
  DisableRefusal,
  EnableRefusal,
  PauseRefusal,
  ResumeRefusal,
} from '../domain/lifecycle/lifecycle.ts';
import type { ListingQueryResult } from '../domain/listing-query.ts';
import type { AdvanceRefusal } from '../domain/test-clock.ts';
import type { SimulationRefusal } from '../domain/traffic/simulation.ts';
import type { DeleteRefusal } from '../lifecycle/delete-offer.ts';
import type { EditOfferRefusal } from '../lifecycle/edit-offers.ts';
import type { ResetRefusal } from '../test-clock/test-clock-store.ts';

export type Reply = {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
};

export function send(res: Response, { status, body, headers = {} }: Reply): void {
  res.set(headers).status(status).json(body);
}

/** Of a reply that an earlier request with the same Idempotency-Key got. */
export const replayedHeaders = { headers: { 'Idempotent-Replayed': 'true' } } as const;

/** Refusals of the request itself, before a creation exists. */
export type CreateRequestRefusal = { readonly reason: 'key-missing' } | FormRefusal;
export type FormRefusal =
  | { readonly reason: 'key-malformed' }
  | { readonly reason: 'broken-form'; readonly status: 400 | 415; readonly faults: readonly string[] }
  | { readonly reason: 'other-mode'; readonly keyMode: Mode }
  | { readonly reason: 'invalid-input'; readonly faults: readonly string[] };

export type AnyCreateRefusal = CreateRefusal | CreateRequestRefusal;

/** Names of the form's fields. */
const quotedFieldNames = {
  startAt: 'start_datetime',
  endAt: 'expiry_datetime',
  location: 'location[]',
  radiusMiles: 'radius',
  gender: 'gender[]',
  interests: 'interests[]',
} as const satisfies Record<QuotedField, string>;

/** POST /offers */
const createReplies = {
  'key-missing': () => invalid('The Idempotency-Key header is missing'),
  'key-malformed': () => invalid(`Idempotency-Key must be ${idempotencyKeyRule}`),
  'broken-form': ({ status, faults }) => coded('E1', status, sentence(faults)),
  'other-mode': ({ keyMode }) => otherMode(keyMode),
  'invalid-input': ({ faults }) => invalid(sentence(faults)),
  'different-payload': () => plain(422, 'This Idempotency-Key was used with a different payload'),
  'in-flight': () =>
    plain(409, 'A request with this Idempotency-Key is still being processed', { 'Retry-After': '1' }),
  'start-in-past': ({ places }) =>
    invalid(
      `${at(places)}start_datetime must not be more than ${offerLimits.startGraceSeconds} seconds in the past`,
    ),
  'unknown-category': ({ places }) => invalid(`${at(places)}category_id must be an id from GET /categories`),
  'unknown-interests': ({ ids, places }) =>
    invalid(`${at(places)}interests[] must be ids from GET /interests, which ${ids.join(', ')} is not`),
  'terms-not-accepted': () =>
    coded(
      'E9',
      403,
      'The organisation has not accepted the current advertising terms. An organisation admin must accept them in the advertiser portal, then this request can be retried with the same Idempotency-Key',
    ),
  'quote-unknown': ({ places }) => invalid(`${at(places)}${notAQuote}`),
  'quote-foreign': ({ places }) =>
    invalid(
      `${at(places)}quote_id was given to another organisation, mode or billing currency. Ask for an estimate of your own`,
    ),
  'quote-expired': ({ places }) =>
    invalid(`${at(places)}quote_id has expired, a quote is valid for 5 minutes. Ask for a new estimate`),
  'quote-differs': ({ fields, places }) => {
    const names = fields.map((field) => quotedFieldNames[field]).join(', ');
    return invalid(
      `${at(places)}quote_id is for another offer, its estimate differs in ${names}. Send the values of the estimate, or ask for a new one`,
    );
  },
  'currency-not-billed': ({ currency }) =>
    coded('E6', 400, `The billing currency ${currency} cannot be billed at present. You were not charged`),
  'no-matching-users': ({ places }) => coded('E5', 400, `${at(places)}No users match the targeting`),
  'swapped-place': ({ places }) =>
    coded(
      'E5',
      400,
      `${at(places)}No users match the targeting, but some would with ${
        places === undefined
          ? 'the two numbers of location[] exchanged: latitude comes first, then longitude'
          : 'latitude and longitude exchanged'
      }`,
    ),
  'below-minimum': ({ minimumMinor, currency }) =>
    invalid(`A card payment must be at least ${formatMinor(minimumMinor, currency)} ${currency}`),
  'above-maximum': ({ maximumMinor, currency }) =>
    invalid(
      `A card payment must be at most ${formatMinor(maximumMinor, currency)} ${currency}, VAT included`,
    ),
  'above-max-cost': ({ netMinor, maxCost, currency }) =>
    invalid(`The cost of ${formatMinor(netMinor, currency)} ${currency} is above the max_cost of ${maxCost}`),
  'quota-exceeded': ({ whose, limit, inUse, wanted }) =>
    coded(
      'E4',
      400,
      `Offer quota exceeded: this ${whose === 'person' ? 'user' : whose} may have ${limit} offers at a time and has ${inUse}${more(wanted)}`,
    ),
  'free-quota-exceeded': ({ limit, created, wanted }) =>
    coded(
      'E4',
      400,
      `Offer quota exceeded: this organisation may create ${limit} LIVE offers a day that cost 0.00 and has created ${created} today${more(wanted)}. Let the offer run longer or reach more users, so that it costs at least 0.01, or try again after 00:00 UTC`,
    ),
  'balance-too-low': ({ netMinor, currency }) =>
    coded('E3', 200, `The balance is below the cost of ${formatMinor(netMinor, currency)} ${currency}`),
  'may-not-spend': () =>
    coded(
      'E1',
      403,
      'This API key may not spend from the balance. Create the offer with payment_method E, whose link a person pays, or use another key',
    ),
  'above-limit': ({ whose, exceeded: { per, ...amounts }, currency }) => {
    const amount = (minor: string) => `${formatMinor(BigInt(minor), currency)} ${currency}`;
    const [cost, left, limit] = [amounts.costMinor, amounts.leftMinor, amounts.limitMinor].map(amount);
    return coded(
      'E1',
      403,
      `The cost is ${cost}, and of the spending limit of ${limit} a ${per} (UTC) of ${whose === 'key' ? 'this API key' : 'your account'} ${left} is left`,
    );
  },
  // Moderation's text says what is wrong with the image and what to do about it.
  'image-unreadable': ({ problem, places }) => invalid(`${at(places)}${problem}`),
  'image-refused': ({ because, places }) =>
    coded('E2', 200, `${at(places)}The image failed moderation: ${because}`),
  'image-offer-unknown': ({ places }) => invalid(`${at(places)}${notAnImageOffer}`),
} satisfies { readonly [R in AnyCreateRefusal as R['reason']]: (refusal: R) => Reply };

/** Before a refusal of some places of a group. */
function at(places: readonly (readonly [index: number, label: string | null])[] | undefined): string {
  return places === undefined ? '' : `${places.map((place) => placeName(...place)).join(', ')}: `;
}

function more(wanted: number | undefined): string {
  return wanted === undefined ? '' : `; this request is for ${wanted} more`;
}

export const replyToCreateRefusal = replyBy<AnyCreateRefusal>(createReplies);

const offerNotFound = coded('E1', 401, 'Offer not found');

/** Of an edit, which may come without a key. */
export type AnyEditRefusal = EditOfferRefusal | FormRefusal;

/** PATCH /offers/{offer_id} and /offer-groups/{group_id}. The same faults have the same codes and words as in a creation. */
const updateReplies = {
  ...createReplies,
  'not-found': () => offerNotFound,
  ended: () => coded('E3', 409, 'Offer has ended, so it cannot be changed'),
} satisfies { readonly [R in AnyEditRefusal as R['reason']]: (refusal: R) => Reply };

export const replyToEditRefusal = replyBy<AnyEditRefusal>(updateReplies);

/** GET, POST and DELETE /test/clock */
const testClockReplies = {
  'live-mode': () =>
    coded('E1', 403, 'This key works in LIVE mode only, and LIVE mode has no test clock: use a TEST key'),
  'not-an-advance': () =>
    invalid(
      `The body must be a JSON object with either advance_seconds, a whole number of at least 1, or now, an ISO 8601 date and time with its zone, such as 2026-03-01T10:00:00Z, sent as application/json`,
    ),
  'not-forward': ({ now }) =>
    invalid(`now must be after the present time of the test clock, ${now.toISOString()}`),
  'too-far-ahead': ({ leftSeconds }) =>
    invalid(
      `The test clock may be at most two years ahead of the real time: it can move forward by ${leftSeconds} seconds more, or be reset`,
    ),
  'offers-not-over': () =>
    coded(
      'E2',
      409,
      'The test clock can be reset when every TEST offer of the organisation has ended or was deleted, and none is being created',
    ),
} satisfies { readonly [R in TestClockRefusal as R['reason']]: (refusal: R) => Reply };

export type TestClockRefusal = { readonly reason: 'live-mode' } | AdvanceRefusal | ResetRefusal;

export const replyToTestClockRefusal = replyBy<TestClockRefusal>(testClockReplies);

/** GET /offers/{offer_id} */
export const offerReplies = { 'not-found': offerNotFound } satisfies Record<string, Reply>;

/** GET, PATCH and DELETE /offer-groups/{group_id}, and POST .../pause and .../resume */
export const groupReplies = { 'not-found': coded('E1', 401, 'Offer group not found') } satisfies Record<
  string,
  Reply
>;

/** POST /offers/{offer_id}/pause */
export const pauseReplies = {
  'not-found': offerNotFound,
  ended: coded('E2', 200, 'Offer has ended'),
  'already-paused': coded('E3', 200, 'Offer is already paused'),
  'awaiting-payment': coded('E5', 200, 'Offer is awaiting payment'),
} satisfies Record<PauseRefusal, Reply>;

/** POST /offers/{offer_id}/resume */
export const resumeReplies = {
  'not-found': offerNotFound,
  ended: coded('E2', 200, 'Offer has ended'),
  'already-running': coded('E4', 200, 'Offer is already running'),
  'awaiting-payment': coded('E5', 200, 'Offer is awaiting payment'),
} satisfies Record<ResumeRefusal, Reply>;

/** DELETE /offers/{offer_id} */
export const deleteReplies = {
  'not-found': offerNotFound,
  'just-paid': coded('E6', 409, 'The payment has just been completed, the offer was not deleted'),
  'page-not-closed': coded('E7', 503, 'The payment page could not be closed, the offer was not deleted', {
    'Retry-After': '2',
  }),
} satisfies Record<DeleteRefusal, Reply>;

/** GET /offers */
export function replyToListRefusal(
  refusal: Exclude<ListingQueryResult, { readonly ok: true }>,
  keyMode: Mode,
): Reply {
  switch (refusal.reason) {
    case 'other-mode':
      return otherMode(keyMode);
    case 'invalid-query':
      return invalid(sentence(refusal.faults));
  }
}

/** GET /offers/{offer_id}/analytics */
export const analyticsReplies = {
  'unknown-interval': invalid('interval must be one of 24h, 7d, 30d, 60d, 90d, all'),
  'not-found': plain(401, 'Unauthorised'),
} satisfies Record<string, Reply>;

const orDays = `or from and to instead must be days such as 2026-06-30, in order, not in the future and at most ${MAX_DAYS} days; and`;

/** GET /offers/{offer_id}/analytics/series */
export const seriesReplies = {
  'invalid-query': invalid(
    `interval must be one of 24h, 7d, 30d, 60d, 90d, all, ${orDays} granularity must be hour or day`,
  ),
  'not-found': offerNotFound,
} satisfies Record<string, Reply>;

/** GET /results */
export const resultsReplies = {
  'invalid-query': invalid(
    `interval must be one of 24h, 7d, 30d, 60d, 90d, ${orDays} time_zone must be the name of a time zone, such as Europe/London`,
  ),
} satisfies Record<string, Reply>;

/** POST /offers/{offer_id}/credit-estimate */
export const creditEstimateReplies = { 'not-found': offerNotFound } satisfies Record<string, Reply>;

/** The sentence of a refusal, for a caller who gets several at once. */
export function messageOf({ body }: Reply): string {
  return (body as Refusal).message;
}

/** Routes of the portal only: there, 401 means that no person is signed in. */
export const portalReplies = {
  'not-found': plain(404, 'Not found'),
  'not-begun': plain(400, 'from: must not be in the future'),
  'too-many': plain(
    400,
    `created_after: there are more than ${MAX_CSV_ROWS.toLocaleString('en-GB')} offers; choose a shorter time of creation`,
  ),
} satisfies Record<string, Reply>;

/** POST /portal/offers/{offer_id}/review-request */
export const reviewRequestReplies = {
  'not-found': portalReplies['not-found'],
  ended: plain(409, 'Offer has ended'),
  'not-disabled': plain(409, 'Offer is not disabled'),
} satisfies Record<AskForReviewRefusal, Reply>;

export function replyToSimulationRefusal(
  refusal: SimulationRefusal | { readonly reason: 'not-found' },
): Reply {
  switch (refusal.reason) {
    case 'not-found':
    case 'not-test-mode':
      return portalReplies['not-found'];
    case 'not-shown':
      return plain(
        409,
        refusal.isDisabled
          ? 'The platform team has disabled the offer, so nobody is shown it: it can have no views'
          : `The offer is ${refusal.status}, so nobody is shown it: only an Active offer can have views`,
      );
  }
}

/** Internal admin routes. */
export const adminReplies = {
  'not-found': plain(404, 'Offer not found'),
  'already-disabled': plain(409, 'Offer is already disabled'),
  'already-enabled': plain(409, 'Offer is already enabled'),
  'catalogue-changed': plain(409, 'The catalogue has changed since that version, look at it again'),
  'not-from-balance': plain(409, 'Offer is paid by card, so only its payer can pay again'),
  'changed-since': plain(409, 'Offer was changed since then, look at it again'),
} satisfies Record<
  DisableRefusal | EnableRefusal | ReviewRefusal | CatalogueRefusal | 'not-from-balance',
  Reply
>;

/** GET /images/{name} */
export const imageReplies = {
  'bad-address': plain(403, 'This image address is not valid or has expired'),
  'not-found': plain(404, 'Not found'),
} satisfies Record<string, Reply>;

function replyBy<R extends { readonly reason: string }>(
  replies: {
    readonly [Reason in R['reason']]: (refusal: never) => Reply;
  },
): (refusal: R) => Reply {
  // Each refusal's type matches its own reply function, but the compiler cannot follow the look-up.
  return (refusal) => replies[refusal.reason as R['reason']](refusal as never);
}

/** "Authentication" 5. */
function otherMode(keyMode: Mode): Reply {
  return coded('E1', 403, `This key works in ${keyMode} mode only, environment must be ${keyMode}`);
}

function coded(returnCode: string, status: number, message: string, headers?: Reply['headers']): Reply {
  const body: Refusal = { return_code: returnCode, status: 'Error', code: status, message };
  return { status, body, ...(headers && { headers }) };
}

function invalid(message: string): Reply {
  return coded('E1', 400, message);
}

function plain(status: number, message: string, headers?: Reply['headers']): Reply {
  return { status, body: { message }, ...(headers && { headers }) };
}

/** Joins all faults into one message. */
function sentence(faults: readonly string[]): string {
  return faults.join('; ');
}
