/** The client of the Offer Advertising Service. */
export { createClient, type OfferAds } from './client.ts';
export { type CommunityClient, createCommunityClient } from './community.ts';
export { type FaultKind, OfferAdsError } from './error.ts';
export type { OfferList } from './offer-list.ts';
export type {
  CallOptions,
  ClientOptions,
  CommunityClientOptions,
  ConnectionOptions,
  CreateOptions,
  Fetch,
  RetryNotice,
} from './options.ts';
export {
  type CreateGroupResult,
  type CreateResult,
  type Refusal,
  type ReplyInfo,
  type ResultOf,
  type Success,
  unwrap,
} from './result.ts';
export type * from './types.ts';
export { type ReceivedWebhook, verifyWebhook } from './verify-webhook.ts';
