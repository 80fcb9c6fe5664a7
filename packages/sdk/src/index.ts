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
  type ResumeResult,
  type SeriesResult,
  type Success,
  unwrap,
  type ViewsResult,
} from './result.ts';
export type * from './types.ts';
