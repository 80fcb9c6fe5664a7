/** The tools: one row for each operation of the API that an assistant needs. What costs money is in `buying.ts`. */
import type { ToolAnnotations } from '@modelcontextprotocol/server';
import {
  analyticsInterval,
  analyticsReply,
  analyticsSeriesReply,
  balanceReply,
  categoriesReply,
  changesQuery,
  changesReply,
  creditEstimateReply,
  deleteReply,
  entriesQuery,
  entriesReply,
  estimateReply,
  estimateRequest,
  interestsReply,
  keyReply,
  listQuery,
  listReply,
  offerReply,
  offerResultsReply,
  pauseReply,
  resultsQuery,
  resultsReply,
  resumeReply,
  seriesQuery,
  updateReply,
} from '@offer-ads/contracts/public/api';
import {
  groupChangeReply,
  groupEstimateReply,
  groupEstimateRequest,
  groupReply,
  groupSeriesReply,
} from '@offer-ads/contracts/public/groups-api';
import { groupId, offerId } from '@offer-ads/contracts/values/primitives';
import type { OfferAds } from '@offer-ads/sdk/client';
import type { CallOptions } from '@offer-ads/sdk/options';
import { z } from 'zod';
import { changedContent, pictureOf } from './offer-content.ts';
import type { Refusal, ToolOperation } from './results.ts';

type Outcome = { readonly ok: true; readonly value: object } | ({ readonly ok: false } & Refusal);

export type Tool<Input extends z.ZodObject = z.ZodObject> = {
  readonly operation: ToolOperation;
  /** Follows the description of the operation. */
  readonly note?: string;
  readonly input: Input;
  readonly output: z.ZodObject;
  readonly hints: ToolAnnotations;
  /** The reply has texts of an offer. */
  readonly hasTextsOfPeople?: true;
  readonly call: (ads: OfferAds, args: z.output<Input>, options: CallOptions) => Promise<Outcome>;
};

// They call nothing outside of the service.
const openWorldHint = false;
export const reads: ToolAnnotations = { readOnlyHint: true, openWorldHint };
const changes: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint,
};
const destroys: ToolAnnotations = { ...changes, destructiveHint: true };
/** What they buy reaches people outside. */
export const buys: ToolAnnotations = { ...changes, openWorldHint: true };

const nothing = z.object({});
const oneOffer = z.object({ offer_id: offerId });
const oneGroup = z.object({ group_id: groupId });

function tool<Input extends z.ZodObject>(row: Tool<Input>): Tool {
  return row;
}

export const tools: readonly Tool[] = [
  tool({
    operation: 'listCategories',
    input: nothing,
    output: categoriesReply,
    hints: reads,
    call: (ads, _, options) => ads.categories.list(options),
  }),
  tool({
    operation: 'listInterests',
    input: nothing,
    output: interestsReply,
    hints: reads,
    call: (ads, _, options) => ads.interests.list(options),
  }),
  tool({
    operation: 'estimatePrice',
    note: 'The reply always has a quote_id: create_offer and extend_offer need it within five minutes.',
    input: estimateRequest.omit({ environment: true, quote: true }),
    output: estimateReply,
    hints: reads,
    call: (ads, target, options) => ads.offers.estimate({ ...target, quote: true }, options),
  }),
  tool({
    operation: 'listOffers',
    input: listQuery.omit({ environment: true }),
    output: listReply,
    hints: reads,
    hasTextsOfPeople: true,
    call: (ads, query, options) => ads.offers.list(query, options).page(),
  }),
  tool({
    operation: 'readOffer',
    input: oneOffer,
    output: offerReply,
    hints: reads,
    hasTextsOfPeople: true,
    call: (ads, { offer_id }, options) => ads.offers.get(offer_id, options),
  }),
  tool({
    operation: 'updateOffer',
    note: 'It costs nothing. Members see the change at once.',
    input: oneOffer.extend(changedContent.shape),
    output: updateReply,
    hints: destroys,
    call: (ads, { offer_id, idempotency_key, ...content }, options) =>
      ads.offers.update(offer_id, pictureOf(content), { ...options, idempotencyKey: idempotency_key }),
  }),
  tool({
    operation: 'pauseOffer',
    note: 'The time in which it is paused is credited when it ends or is deleted.',
    input: oneOffer,
    output: pauseReply,
    hints: changes,
    call: (ads, { offer_id }, options) => ads.offers.pause(offer_id, options),
  }),
  tool({
    operation: 'resumeOffer',
    input: oneOffer,
    output: resumeReply,
    hints: changes,
    call: (ads, { offer_id }, options) => ads.offers.resume(offer_id, options),
  }),
  tool({
    operation: 'estimateCredit',
    input: oneOffer,
    output: creditEstimateReply,
    hints: reads,
    call: (ads, { offer_id }, options) => ads.offers.estimateCredit(offer_id, options),
  }),
  tool({
    operation: 'deleteOffer',
    note: 'It cannot be undone. estimate_credit says before what comes back.',
    input: oneOffer,
    output: deleteReply,
    hints: destroys,
    call: (ads, { offer_id }, options) => ads.offers.delete(offer_id, options),
  }),
  tool({
    operation: 'estimateGroupPrice',
    note: 'create_group then needs a max_cost of at least the estimated_cost of all.',
    input: groupEstimateRequest.omit({ environment: true }),
    output: groupEstimateReply,
    hints: reads,
    call: (ads, target, options) => ads.groups.estimate(target, options),
  }),
  tool({
    operation: 'readGroup',
    input: oneGroup,
    output: groupReply,
    hints: reads,
    hasTextsOfPeople: true,
    call: (ads, { group_id }, options) => ads.groups.get(group_id, options),
  }),
  tool({
    operation: 'updateGroup',
    note: 'It costs nothing. Members see the change at once.',
    input: oneGroup.extend(changedContent.shape),
    output: updateReply,
    hints: destroys,
    call: (ads, { group_id, idempotency_key, ...content }, options) =>
      ads.groups.update(group_id, pictureOf(content), { ...options, idempotencyKey: idempotency_key }),
  }),
  tool({
    operation: 'pauseGroup',
    input: oneGroup,
    output: groupChangeReply,
    hints: changes,
    call: (ads, { group_id }, options) => ads.groups.pause(group_id, options),
  }),
  tool({
    operation: 'resumeGroup',
    input: oneGroup,
    output: groupChangeReply,
    hints: changes,
    call: (ads, { group_id }, options) => ads.groups.resume(group_id, options),
  }),
  tool({
    operation: 'deleteGroup',
    note: 'It cannot be undone.',
    input: oneGroup,
    output: groupChangeReply,
    hints: destroys,
    call: (ads, { group_id }, options) => ads.groups.delete(group_id, options),
  }),
  tool({
    operation: 'readAnalytics',
    input: oneOffer.extend({ interval: analyticsInterval }),
    output: analyticsReply,
    hints: reads,
    call: (ads, { offer_id, interval }, options) => ads.offers.analytics(offer_id, interval, options),
  }),
  tool({
    operation: 'readAnalyticsSeries',
    input: oneOffer.extend(seriesQuery.shape),
    output: analyticsSeriesReply,
    hints: reads,
    call: (ads, { offer_id, ...query }, options) => ads.offers.series(offer_id, query, options),
  }),
  tool({
    operation: 'readOfferResults',
    input: oneOffer,
    output: offerResultsReply,
    hints: reads,
    call: (ads, { offer_id }, options) => ads.offers.results(offer_id, options),
  }),
  tool({
    operation: 'readResults',
    input: resultsQuery,
    output: resultsReply,
    hints: reads,
    hasTextsOfPeople: true,
    call: (ads, query, options) => ads.results.get(query, options),
  }),
  tool({
    operation: 'listOfferChanges',
    input: oneOffer.extend(changesQuery.shape),
    output: changesReply,
    hints: reads,
    call: (ads, { offer_id, ...page }, options) => ads.offers.changes(offer_id, page, options),
  }),
  tool({
    operation: 'readGroupSeries',
    input: oneGroup.extend(seriesQuery.shape),
    output: groupSeriesReply,
    hints: reads,
    call: (ads, { group_id, ...query }, options) => ads.groups.series(group_id, query, options),
  }),
  tool({
    operation: 'readKey',
    input: nothing,
    output: keyReply,
    hints: reads,
    call: (ads, _, options) => ads.key.get(options),
  }),
  tool({
    operation: 'readBalance',
    input: nothing,
    output: balanceReply,
    hints: reads,
    call: (ads, _, options) => ads.balance.get(options),
  }),
  tool({
    operation: 'listBalanceEntries',
    input: entriesQuery,
    output: entriesReply,
    hints: reads,
    hasTextsOfPeople: true,
    call: (ads, query, options) => ads.balance.entries(query, options),
  }),
];
