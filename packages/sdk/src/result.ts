/** The result of a call: success and the endpoint's refusals are values; everything else is thrown as an `OfferAdsError`. */
import { OfferAdsError } from './error.ts';
import type { CodeOf, OperationName, StatusOf } from './operations.ts';
import type {
  Analytics,
  AnalyticsSeries,
  Balance,
  BalanceEntries,
  Categories,
  CreatedGroup,
  CreatedOffer,
  CreditEstimate,
  DeletedOffer,
  DeletedWebhook,
  GroupChange,
  GroupEstimate,
  GroupSeries,
  Interests,
  Key,
  OfferChanges,
  OfferGroup,
  OfferPage,
  OfferResults,
  OneOffer,
  PausedOffer,
  Placements,
  PriceEstimate,
  Resent,
  Results,
  ResumedOffer,
  TestClock,
  UpdatedOffer,
  Views,
  Webhook,
  WebhookMessage,
  WebhookMessages,
  Webhooks,
  WebhookWithSecret,
} from './types.ts';

/** Facts about the reply. */
export type ReplyInfo = {
  readonly status: number;
  /** Identifies the request in the service's logs: quote it to support. */
  readonly requestId: string | undefined;
  readonly headers: Headers;
  /** How often the request was sent. */
  readonly attempts: number;
  /**
   * An earlier attempt may have taken effect: its reply was lost, or was a fault. Then "already paused" or "Offer not found" can mean that
   * the earlier attempt succeeded.
   */
  readonly earlierReplyLost: boolean;
};

export type Success<Value> = { readonly ok: true; readonly value: Value; readonly reply: ReplyInfo };

export type Refusal<Code extends string, Status extends number> = {
  readonly ok: false;
  /** The endpoint's `return_code`. */
  readonly code: Code;
  /** The HTTP status, which distinguishes several meanings of a code. */
  readonly status: Status;
  readonly message: string;
  readonly reply: ReplyInfo;
};

/** One refusal per code of the endpoint. */
export type RefusalOf<Name extends OperationName> = {
  [Code in CodeOf<Name>]: Refusal<Code, StatusOf<Name, Code>>;
}[CodeOf<Name>];

/** The body of a success, as in the API reference. */
export type ValueOf = {
  readonly listCategories: Categories;
  readonly listInterests: Interests;
  readonly readKey: Key;
  readonly readBalance: Balance;
  readonly listBalanceEntries: BalanceEntries;
  readonly estimatePrice: PriceEstimate;
  readonly createOffer: CreatedOffer;
  readonly listOffers: OfferPage;
  readonly readOffer: OneOffer;
  readonly updateOffer: UpdatedOffer;
  readonly pauseOffer: PausedOffer;
  readonly resumeOffer: ResumedOffer;
  readonly readAnalytics: Analytics;
  readonly readAnalyticsSeries: AnalyticsSeries;
  readonly readOfferResults: OfferResults;
  readonly readResults: Results;
  readonly listOfferChanges: OfferChanges;
  readonly estimateCredit: CreditEstimate;
  readonly deleteOffer: DeletedOffer;
  readonly estimateGroupPrice: GroupEstimate;
  readonly createGroup: CreatedGroup;
  readonly readGroup: OfferGroup;
  readonly readGroupSeries: GroupSeries;
  readonly pauseGroup: GroupChange;
  readonly resumeGroup: GroupChange;
  readonly updateGroup: UpdatedOffer;
  readonly deleteGroup: GroupChange;
  readonly readTestClock: TestClock;
  readonly advanceTestClock: TestClock;
  readonly resetTestClock: TestClock;
  readonly createWebhook: WebhookWithSecret;
  readonly listWebhooks: Webhooks;
  readonly readWebhook: Webhook;
  readonly changeWebhook: Webhook;
  readonly deleteWebhook: DeletedWebhook;
  readonly testWebhook: WebhookMessage;
  readonly rollWebhookSecret: WebhookWithSecret;
  readonly disableWebhook: Webhook;
  readonly enableWebhook: Webhook;
  readonly listWebhookMessages: WebhookMessages;
  readonly resendWebhookMessage: WebhookMessage;
  readonly resendWebhookMessages: Resent;
  readonly findPlacements: Placements;
  readonly sendViews: Views;
};

/** Of an operation of the API reference: `ResultOf<'pauseOffer'>`. */
export type ResultOf<Name extends OperationName> = Success<ValueOf[Name]> | RefusalOf<Name>;

/** A creation also returns its key: the same request with the same key never creates a second one. */
export type CreateResult = Created<'createOffer'>;
export type CreateGroupResult = Created<'createGroup'>;

type Created<Name extends 'createOffer' | 'createGroup'> =
  | (Success<ValueOf[Name]> & {
      readonly idempotencyKey: string;
      /** True: an earlier request with this key created it; this is the original reply. */
      readonly replayed: boolean;
    })
  | (RefusalOf<Name> & { readonly idempotencyKey: string });

type AnyResult =
  | Success<unknown>
  | (Refusal<string, number> & { readonly idempotencyKey?: string | undefined });

/**
 * For scripts that end after a refusal.
 * @throws OfferAdsError of kind `refused` that carries the refusal's code, status and message
 */
export function unwrap<R extends AnyResult>(result: R): Extract<R, { readonly ok: true }>['value'] {
  if (result.ok) return result.value;
  const { code, status, message, reply, idempotencyKey } = result;
  throw new OfferAdsError(`${code}: ${message}`, {
    kind: 'refused',
    code,
    status,
    requestId: reply.requestId,
    attempts: reply.attempts,
    earlierReplyLost: reply.earlierReplyLost,
    idempotencyKey,
  });
}
