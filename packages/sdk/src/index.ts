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
  type AdvanceResult,
  type AnalyticsResult,
  type BalanceEntriesResult,
  type BalanceResult,
  type CategoriesResult,
  type CreateResult,
  type CreditEstimateResult,
  type DeleteResult,
  type EstimateResult,
  type InterestsResult,
  type OfferResult,
  type PageResult,
  type PauseResult,
  type PlacementsResult,
  type Refusal,
  type ReplyInfo,
  type ResetResult,
  type ResultOf,
  type ResumeResult,
  type SeriesResult,
  type Success,
  type TestClockResult,
  type UpdateResult,
  unwrap,
  type ViewsResult,
} from './result.ts';
export type * from './types.ts';
export { type ReceivedWebhook, verifyWebhook } from './verify-webhook.ts';
