/** Calls to pricing, billing and moderation, each with its deadline (decision 23, deadlines and outages). */
import {
  balanceReply,
  chargeReply,
  checkoutReply,
  closeCheckoutReply,
  creditPreviewReply,
  keepCheckoutReply,
  resolveChargeReply,
  spendingReply,
} from '@offer-ads/contracts/internal/billing-api';
import type { CallerContext } from '@offer-ads/contracts/internal/caller-context';
import {
  renditionReply,
  storedVerdictReply,
  verdictReply,
} from '@offer-ads/contracts/internal/moderation-api';
import {
  type GroupPricesRequest,
  groupPricesReply,
  type PriceRequest,
  priceReply,
  type QuotedPriceRequest,
  quotedPriceReply,
} from '@offer-ads/contracts/internal/pricing-api';
import { signCallerContext } from '@offer-ads/platform/calls/caller-context';
import { createDeadline, type Deadline } from '@offer-ads/platform/calls/deadline';
import { createServiceClient, type ServiceCall } from '@offer-ads/platform/calls/service-client';
import type { Clock } from '@offer-ads/platform/process/clock';
import { Fault, overloaded } from '@offer-ads/platform/process/faults';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import type { z } from 'zod';
import type { OffersConfig } from './config.ts';
import type { UnusedTime } from './domain/lifecycle/unused-time.ts';
import { groupTitle, type Offer, titleWithPlace } from './domain/offer.ts';

/** The organisation of a call, and its deadline. */
export type CallContext = {
  readonly caller: CallerContext;
  readonly requestId: string;
  readonly deadline: Deadline;
};

export type OtherServices = ReturnType<typeof connectOtherServices>;

const USUAL_MS = 2_000;
const MODERATION_MS = 10_000;
/** Billing gives the card provider 8 seconds and needs some time itself. */
const CARD_PROVIDER_MS = 9_500;
/** Longer than every deadline; the deadline limits the call. */
const TOKEN_MS = 60_000;

export function connectOtherServices(
  config: OffersConfig,
  o: { clock: Clock; logger: Logger; metrics: Metrics },
) {
  const usual = { ...o, timeoutMs: USUAL_MS };
  const moderation = { ...o, baseUrl: config.MODERATION_URL, timeoutMs: MODERATION_MS };
  const clients = {
    pricing: createServiceClient({ ...usual, name: 'pricing', baseUrl: config.PRICING_URL }),
    billing: createServiceClient({ ...usual, name: 'billing', baseUrl: config.BILLING_URL }),
    moderation: createServiceClient({ ...moderation, name: 'moderation' }),
    // A breaker of its own, so that renditions that fail never stop a creation.
    renditions: createServiceClient({ ...moderation, name: 'moderation-renditions' }),
  };
  const receivers = {
    pricing: { audience: 'pricing', secret: config.PRICING_CONTEXT_SECRET },
    billing: { audience: 'billing', secret: config.BILLING_CONTEXT_SECRET },
    moderation: { audience: 'moderation', secret: config.MODERATION_CONTEXT_SECRET },
    renditions: { audience: 'moderation', secret: config.MODERATION_CONTEXT_SECRET },
  } as const;
  /** Every call may be repeated if its connection breaks: it only reads, or billing recognises the offer's id. */
  const ask = <S extends z.ZodType>(
    service: keyof typeof clients,
    call: CallContext,
    question: Pick<ServiceCall<S>, 'path' | 'reply' | 'json' | 'bytes' | 'timeoutMs'> & { method?: 'GET' },
  ) => {
    const { audience, secret } = receivers[service];
    return clients[service].call({
      method: 'POST',
      ...question,
      callerToken: signCallerContext(secret, {
        ...call.caller,
        audience,
        validUntil: o.clock.now().getTime() + TOKEN_MS,
      }),
      requestId: call.requestId,
      deadline: call.deadline,
      retry: 'safe',
    });
  };

  return {
    price: (call: CallContext, request: PriceRequest) =>
      ask('pricing', call, { path: '/internal/price', json: request, reply: priceReply }),
    groupPrices: (call: CallContext, request: GroupPricesRequest) =>
      ask('pricing', call, { path: '/internal/group-prices', json: request, reply: groupPricesReply }),
    quotedPrice: (call: CallContext, request: QuotedPriceRequest) =>
      ask('pricing', call, { path: '/internal/quoted-price', json: request, reply: quotedPriceReply }),
    balance: (call: CallContext) =>
      ask('billing', call, { method: 'GET', path: '/internal/balance', reply: balanceReply }),
    spending: (call: CallContext) =>
      ask('billing', call, { method: 'GET', path: '/internal/spending', reply: spendingReply }),
    judgePicture: (call: CallContext, bytes: Uint8Array) =>
      ask('moderation', call, { path: '/internal/verdicts', bytes, reply: verdictReply }),
    /** @param cleanHash of a cleaned picture that is stored */
    judgeStoredPicture: (call: CallContext, cleanHash: string) =>
      ask('moderation', call, {
        method: 'GET',
        path: `/internal/verdicts/${cleanHash}`,
        reply: storedVerdictReply,
      }),
    /** The cleaned picture in this width. */
    rendition: (call: CallContext, bytes: Uint8Array, width: number) =>
      ask('renditions', call, { path: `/internal/renditions?width=${width}`, bytes, reply: renditionReply }),
    charge: (call: CallContext, offers: Sold) =>
      ask('billing', call, {
        ...(isGroup(offers)
          ? { path: '/internal/group-charges', json: groupChargeOf(offers) }
          : { path: '/internal/charges', json: chargeOf(offers[0]) }),
        reply: chargeReply,
      }).catch(throwOverloaded),
    openCheckout: (call: CallContext, offers: Sold) => {
      // Nobody pays for an offer that is over.
      const offerExpiryAt = new Date(
        Math.min(...offers.map(({ expiryAt }) => expiryAt.getTime())),
      ).toISOString();
      return ask('billing', call, {
        ...(isGroup(offers)
          ? {
              path: '/internal/group-checkouts',
              json: { ...groupChargeOf(offers), title: groupTitle(offers), offerExpiryAt },
            }
          : { path: '/internal/checkouts', json: { ...chargeOf(offers[0]), offerExpiryAt } }),
        reply: checkoutReply,
        timeoutMs: CARD_PROVIDER_MS,
      });
    },
    closeCheckout: (call: CallContext, offer: Offer, deletion: number) =>
      ask('billing', call, {
        path: `${saleOf(offer)}/close-checkout`,
        json: { deletion },
        reply: closeCheckoutReply,
        timeoutMs: CARD_PROVIDER_MS,
      }),
    /** The deletion failed: its payment page must work again. */
    keepCheckout: (call: CallContext, offer: Offer, deletion: number) =>
      ask('billing', call, {
        path: `${saleOf(offer)}/keep-checkout`,
        json: { deletion },
        reply: keepCheckoutReply,
      }),
    resolveCharge: (call: CallContext, offer: Offer) =>
      ask('billing', call, {
        path: `${saleOf(offer)}/resolve-charge`,
        reply: resolveChargeReply,
        timeoutMs: CARD_PROVIDER_MS,
      }),
    /** The credit that this Unused Time would give now. */
    previewCredit: (call: CallContext, offerId: number, unusedTime: UnusedTime) =>
      ask('billing', call, {
        path: `/internal/offers/${offerId}/credit-preview`,
        json: unusedTime,
        reply: creditPreviewReply,
      }),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(Object.values(clients).map((client) => client[Symbol.asyncDispose]()));
    },
  };
}

/** Too many charges of this balance wait. The creation is not refused; a retry with its key continues it, as after any 503. */
function throwOverloaded(error: unknown): never {
  const isTooMany = error instanceof Fault && error.status === 429;
  throw isTooMany ? overloaded(error.message, error) : error;
}

/** What is charged at once: an offer, or all offers of a group. */
type Sold = readonly [Offer, ...Offer[]];

function isGroup([{ groupId }]: Sold): boolean {
  return groupId !== null;
}

/** Billing's address of what was sold with the offer. */
function saleOf({ offerId, groupId }: Offer): string {
  return groupId === null ? `/internal/offers/${offerId}` : `/internal/groups/${groupId}`;
}

function chargeOf(offer: Offer) {
  return { offerId: offer.offerId, title: offer.title, netMinor: offer.netMinor.toString() };
}

function groupChargeOf(offers: Sold) {
  const placed = offers.map((offer) => ({ ...chargeOf(offer), title: titleWithPlace(offer) }));
  return { groupId: offers[0].groupId, offers: placed };
}

/** For work that the system continues by itself: no caller waits, and no person's data are known or needed. */
export function systemCallContext(offer: Offer, requestId: string): CallContext {
  return {
    caller: {
      audience: 'billing',
      validUntil: offer.expiryAt.getTime(),
      organisationId: offer.organisationId,
      mode: offer.mode,
      personId: null,
      keyId: null,
      mailbox: null,
      network: null,
      currency: offer.currency,
      country: offer.country,
      tradingName: offer.tradingName,
      quota: { perPerson: 0, perOrganisation: 0 },
      termsAccepted: true,
      // The system finishes or repairs what was allowed before.
      spending: { spender: 'system', access: 'full', perDayMinor: null, perMonthMinor: null },
      // Only pricing uses this, and the system requests no price.
      organisationApproved: true,
    },
    requestId,
    deadline: createDeadline(CARD_PROVIDER_MS),
  };
}
