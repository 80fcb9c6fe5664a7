/** The client's own types and its table of operations, compared with the contract that the services use. */
import { describe, expect, it } from '@jest/globals';
import type * as placementsApi from '@offer-ads/contracts/community/placements-api';
import type * as publicApi from '@offer-ads/contracts/public/api';
import { allDocuments } from '@offer-ads/contracts/public/documents';
import type * as groupsApi from '@offer-ads/contracts/public/groups-api';
import type * as webhooksApi from '@offer-ads/contracts/public/webhooks-api';
import type { WebhookData, WebhookType } from '@offer-ads/contracts/webhooks/webhook-types';
import type { z } from 'zod';
import { createClient } from './client.ts';
import { createCommunityClient, viewLimits } from './community.ts';
import { operations } from './operations.ts';
import type * as sdk from './types.ts';

type Schema = { readonly $ref?: string; readonly [key: string]: unknown };
type Operation = {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
};
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, { readonly properties: object }>> };
};

const documentOf = (file: string) => JSON.parse(allDocuments().get(file) ?? '') as Document;
const operationsIn = ({ paths }: Document) =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      operationId: operation.operationId,
      responses: operation.responses,
    })),
  );
const ofAdvertisers = operationsIn(documentOf('openapi.json'));
const communityDocument = documentOf('community-openapi.json');
/** Followers of events read running offers. The SDK does not follow events: it has no client of the broker. */
const ofCommunities = operationsIn(communityDocument).filter(
  ({ operationId }) => operationId !== 'listRunningOffers',
);
const described = [...ofAdvertisers, ...ofCommunities];

describe('the table of operations and the OpenAPI documents', () => {
  it('have the same operations, methods and paths', () => {
    const ours = Object.entries(operations).map(([name, { method, path }]) => ({ name, method, path }));
    const theirs = described.map(({ operationId, method, path }) => ({ name: operationId, method, path }));
    expect(new Set(ours)).toEqual(new Set(theirs));
  });

  it.each(described.map((operation) => [operation.operationId, operation] as const))(
    'have the same return codes with the same statuses: %s',
    (name, { responses }) => {
      const theirs = Object.entries(responses).flatMap(([status, { description }]) =>
        [...description.matchAll(/`([ES]\d)`/g)].map(([, code]) => `${code} ${status}`),
      );
      const { refusals, ...operation } = operations[name as keyof typeof operations];
      const ours = Object.entries(refusals).flatMap(([code, statuses]) =>
        (statuses as readonly number[]).map((status) => `${code} ${status}`),
      );
      if ('success' in operation) ours.push(`${operation.success} 200`);
      expect(ours.toSorted()).toEqual([...new Set(theirs)].toSorted());
    },
  );

  it('have as many operations as the clients have functions', () => {
    const client = createClient({ apiKey: 'pk_test_x', baseUrl: 'http://127.0.0.1' });
    const functions = [
      client.categories,
      client.interests,
      client.key,
      client.balance,
      client.results,
      client.webhooks,
      client.offers,
      client.groups,
      client.testClock,
    ].flatMap((part) => Object.values(part));
    expect(functions).toHaveLength(ofAdvertisers.length);
    const { mode: _mode, ...community } = createCommunityClient({
      placementKey: 'pk_place_test_x',
      baseUrl: 'http://127.0.0.1',
    });
    expect(Object.values(community)).toHaveLength(ofCommunities.length);
  });

  it('have the same limits of a request with view tokens', () => {
    expect(communityDocument.components.schemas.ViewsRequest?.properties).toMatchObject({
      view_tokens: { maxItems: viewLimits.tokens, items: { maxLength: viewLimits.tokenLength } },
    });
  });
});

// The rest is checked by the compiler. Requests of the client are those of the contract, but also take a `Date` and need no environment.
// Replies are those of the contract, read-only.

type DeepReadonly<T> = T extends readonly unknown[]
  ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;
type Schemas = typeof publicApi & typeof groupsApi & typeof placementsApi & typeof webhooksApi;
type Contract<Name extends keyof Schemas> = Schemas[Name] extends z.ZodType
  ? DeepReadonly<z.input<Schemas[Name]>>
  : never;
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
type Flat<T> = { readonly [K in keyof T]: T[K] };
/** A field that may be omitted may also be undefined. */
type Sendable<T> = { readonly [K in keyof T]: undefined extends T[K] ? T[K] | undefined : T[K] };
/** With the properties of intersections in one object. */
type Plainly<T> = T extends object ? { readonly [K in keyof T]: Plainly<T[K]> } : T;
type Events = {
  [Type in WebhookType]: {
    readonly type: Type;
    readonly timestamp: string;
    readonly data: DeepReadonly<WebhookData<Type>>;
  };
}[WebhookType];
type FormNames<T> = { [K in keyof T as K extends `${infer Name}[]` ? Name : K]: T[K] };
type WithoutTimes<T> = Omit<
  T,
  'start_datetime' | 'end_datetime' | 'expiry_datetime' | 'created_after' | 'created_before'
>;
/** Without the fields that have other types in the client. */
type Plain<T> = Omit<WithoutTimes<T>, 'image' | 'environment'>;

/** The client also takes null, which it never sends. */
type NullFree<T> = { [Field in keyof T]: Exclude<T[Field], null> };

/** Without the type of the instant, which may be a `Date`. */
type WithoutNow<T> = T extends { readonly now: unknown } ? 'now' : T;

type Checks = {
  readonly categories: Same<sdk.Categories, Contract<'categoriesReply'>>;
  readonly interests: Same<sdk.Interests, Contract<'interestsReply'>>;
  readonly estimate: Same<sdk.PriceEstimate, Contract<'estimateReply'>>;
  readonly created: Same<sdk.CreatedOffer, Contract<'createReply'>>;
  readonly page: Same<sdk.OfferPage, Contract<'listReply'>>;
  readonly oneOffer: Same<Flat<sdk.OneOffer>, Contract<'offerReply'>>;
  readonly place: Same<
    NullFree<sdk.Place>,
    NullFree<Sendable<Contract<'groupEstimateRequest'>['places'][number]>>
  >;
  readonly groupEstimate: Same<Flat<sdk.GroupEstimate>, Contract<'groupEstimateReply'>>;
  readonly groupEstimateFields: Same<keyof sdk.GroupEstimateRequest, keyof Contract<'groupEstimateRequest'>>;
  readonly createGroupFields: Same<
    keyof sdk.CreateGroupRequest,
    keyof FormNames<Contract<'createGroupForm'>>
  >;
  readonly createdGroup: Same<sdk.CreatedGroup, Contract<'createGroupReply'>>;
  readonly group: Same<sdk.OfferGroup, Contract<'groupReply'>>;
  readonly groupSeries: Same<Flat<sdk.GroupSeries>, Contract<'groupSeriesReply'>>;
  readonly groupChange: Same<sdk.GroupChange, Contract<'groupChangeReply'>>;
  readonly updateFields: Same<keyof sdk.UpdateOfferRequest, keyof Contract<'updateOfferForm'>>;
  readonly updateRequest: Same<
    NullFree<Plain<sdk.UpdateOfferRequest>>,
    Sendable<Plain<Contract<'updateOfferForm'>>>
  >;
  readonly updated: Same<sdk.UpdatedOffer, Contract<'updateReply'>>;
  readonly paused: Same<sdk.PausedOffer, Contract<'pauseReply'>>;
  readonly resumed: Same<sdk.ResumedOffer, Contract<'resumeReply'>>;
  readonly deleted: Same<sdk.DeletedOffer, Contract<'deleteReply'>>;
  readonly analytics: Same<sdk.Analytics, Contract<'analyticsReply'>>;
  readonly series: Same<Flat<sdk.AnalyticsSeries>, Contract<'analyticsSeriesReply'>>;
  readonly seriesRequest: Same<sdk.SeriesRequest, Contract<'seriesQuery'>>;
  readonly offerResults: Same<sdk.OfferResults, Contract<'offerResultsReply'>>;
  readonly results: Same<sdk.Results, Contract<'resultsReply'>>;
  readonly resultsRequest: Same<sdk.ResultsRequest, Sendable<Contract<'resultsQuery'>>>;
  readonly changes: Same<sdk.OfferChanges, Contract<'changesReply'>>;
  readonly changesRequest: Same<sdk.PageRequest, Sendable<Contract<'changesQuery'>>>;
  readonly credit: Same<sdk.CreditEstimate, Contract<'creditEstimateReply'>>;
  readonly key: Same<sdk.Key, Contract<'keyReply'>>;
  readonly balance: Same<sdk.Balance, Contract<'balanceReply'>>;
  readonly entries: Same<sdk.BalanceEntries, Contract<'entriesReply'>>;
  readonly entriesRequest: Same<sdk.PageRequest, Sendable<Contract<'entriesQuery'>>>;
  readonly testClock: Same<sdk.TestClock, Contract<'testClockReply'>>;
  readonly advance: Same<WithoutNow<sdk.AdvanceRequest>, WithoutNow<Contract<'advanceRequest'>>>;
  readonly webhook: Same<sdk.Webhook, Contract<'webhook'>>;
  readonly webhooks: Same<sdk.Webhooks, Contract<'webhooksReply'>>;
  readonly webhookWithSecret: Same<Flat<sdk.WebhookWithSecret>, Contract<'webhookWithSecret'>>;
  readonly webhookDeleted: Same<sdk.DeletedWebhook, Contract<'webhookDeleted'>>;
  readonly webhookRequest: Same<sdk.WebhookRequest, Sendable<Contract<'webhookRequest'>>>;
  readonly message: Same<sdk.WebhookMessage, Contract<'webhookMessage'>>;
  readonly messages: Same<sdk.WebhookMessages, Contract<'messagesReply'>>;
  readonly messagesRequest: Same<sdk.MessagesRequest, Sendable<Contract<'messagesQuery'>>>;
  readonly resendFields: Same<keyof sdk.ResendRequest, keyof Contract<'resendRequest'>>;
  readonly resent: Same<sdk.Resent, Contract<'resendReply'>>;
  readonly webhookEvent: Same<Plainly<sdk.WebhookEvent>, Plainly<Events>>;
  readonly interval: Same<sdk.AnalyticsInterval, Contract<'analyticsInterval'>>;
  readonly gender: Same<sdk.Gender, Contract<'requestedGender'>>;
  readonly estimateFields: Same<keyof sdk.EstimateRequest, keyof Contract<'estimateRequest'>>;
  readonly estimateRequest: Same<
    NullFree<Plain<sdk.EstimateRequest>>,
    Sendable<Plain<Contract<'estimateRequest'>>>
  >;
  readonly createFields: Same<keyof sdk.CreateOfferRequest, keyof FormNames<Contract<'createOfferForm'>>>;
  readonly createRequest: Same<
    NullFree<Plain<sdk.CreateOfferRequest>>,
    Sendable<Plain<FormNames<Contract<'createOfferForm'>>>>
  >;
  readonly listFields: Same<keyof sdk.ListOffersRequest, keyof Contract<'listQuery'>>;
  readonly listRequest: Same<Plain<sdk.ListOffersRequest>, Sendable<Plain<Contract<'listQuery'>>>>;
  readonly placementsFields: Same<keyof sdk.PlacementsRequest, keyof Contract<'placementsRequest'>>;
  readonly placementsRequest: Same<sdk.PlacementsRequest, Sendable<Contract<'placementsRequest'>>>;
  readonly placements: Same<sdk.Placements, Contract<'placementsReply'>>;
  readonly views: Same<sdk.Views, Contract<'viewsReply'>>;
};

/** Compiles only when every check holds. */
type Holding<All extends Readonly<Record<string, true>>> = All;

it('the types of the client are those of the contract (checked by the compiler)', () => {
  const isSame: Holding<Checks>[keyof Checks] = true;
  expect(isSame).toBe(true);
});
