/** The public API as an OpenAPI 3.1 document, built from the schemas that the services use. */
import { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathItemObject } from 'zod-openapi';
import { idempotencyKey } from '../values/idempotency-key.ts';
import { groupId, offerId } from '../values/primitives.ts';
import { openApiWebhooks } from '../webhooks/webhook-schemas.ts';
import {
  advanceRequest,
  analyticsInterval,
  analyticsReply,
  analyticsSeriesReply,
  balanceReply,
  categoriesReply,
  changesQuery,
  changesReply,
  createOfferForm,
  createReply,
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
  plainMessage,
  refusal,
  resultsQuery,
  resultsReply,
  resumeReply,
  seriesQuery,
  testClockReply,
  unauthorised,
  updateOfferForm,
  updateReply,
} from './api.ts';
import { withExamples } from './field-examples.ts';
import {
  createGroupForm,
  createGroupReply,
  groupChangeReply,
  groupEstimateReply,
  groupEstimateRequest,
  groupReply,
  groupSeriesReply,
} from './groups-api.ts';
import { withoutNoise } from './json-schema.ts';
import { publisher } from './publisher.ts';
import { jsonRequest, replayed, reply, retryAfter } from './reply-headers.ts';
import { webhookPathsWith } from './webhook-operations.ts';

const refusedKey =
  'The key is missing, invalid, disabled or expired, or the account is disabled. With a code when the key has no recorded mode, or is a LIVE key of an organisation that is not approved.';
const unauthenticated = reply(refusedKey, unauthorised);
const ofNoOffer = reply(`\`E1\` the caller has no such offer in this mode. ${refusedKey}`, unauthorised);
const limited = reply('Rate limit exceeded.', plainMessage, retryAfter);
const failed = reply('Internal server error.', plainMessage);
const unavailable = reply(
  'A dependency is down. The request had no effect or its full effect, never a part. Retry.',
  plainMessage,
  retryAfter,
);
const wrongMethod = reply('The path is not called by this method; `Allow` names its methods.', plainMessage, {
  Allow: z.string().meta({ examples: ['GET, PATCH, DELETE'] }),
});
const restricted =
  'The rights of the key do not include this: it may not be used from this IP address, or it may only read. With a code.';
const always = {
  '403': reply(restricted, refusal),
  '401': unauthenticated,
  '405': wrongMethod,
  '429': limited,
  '500': failed,
  '503': unavailable,
};

const offerPath = { path: z.object({ offer_id: offerId }) };
const notFoundNote = 'An offer of another account or of the other mode is treated as not found: 401.';
const alwaysOfAnOffer = { ...always, '401': ofNoOffer };
const notFound = {
  '401': reply('`E1` no such offer of this account and mode; or as for every endpoint.', unauthorised),
};

const estimate: ZodOpenApiOperationObject = {
  operationId: 'estimatePrice',
  tags: ['Offers'],
  summary: 'Estimate the price of an offer',
  description:
    'Creates and charges nothing. A creation with the same targeting and times costs `estimated_cost`, unless the number of matching users or the exchange rate changes in between.',
  requestBody: jsonRequest(estimateRequest),
  responses: {
    ...always,
    '200': reply(
      '`S1`. The money fields are null when the billing currency cannot be billed. `quote_id` comes only if asked for.',
      estimateReply,
    ),
    '400': reply(
      '`E1` input missing or invalid, or start in the past; `E2` a date-time is not ISO 8601.',
      refusal,
    ),
    '403': reply(`\`E1\` environment is not the key's mode. ${restricted}`, refusal),
  },
};

const compressed = reply('`E1` the form is compressed.', refusal);

const create: ZodOpenApiOperationObject = {
  operationId: 'createOffer',
  tags: ['Offers'],
  summary: 'Create an offer',
  description:
    'A request with an `Idempotency-Key` that was used before returns the original response and creates nothing. Only `S1` uses up a key.',
  requestParams: {
    header: z.object({
      'Idempotency-Key': idempotencyKey.meta({
        description: 'A unique value per offer, e.g. a UUID v4.',
        examples: ['0b9dd1f8-5a9c-4d0b-8d1e-6f6f3a0f5c11'],
      }),
    }),
  },
  requestBody: { required: true, content: { 'multipart/form-data': { schema: createOfferForm } } },
  responses: {
    ...always,
    '200': reply(
      '`S1` created; `E2` image failed moderation; `E3` balance below the cost (method `B`). The reply has no price: `cost` of `POST /offers/{offer_id}/credit-estimate` is the price of the offer, net of VAT. With method `B` it was charged, and is the `amount` of the entry with this `offer_id` in `GET /balance/entries`. With method `E` the payment page shows it, with VAT where it applies.',
      z.union([createReply, refusal]),
      replayed,
    ),
    '400': reply(
      '`E1` invalid or missing input, start in the past, below the card minimum, a quote that does not hold for this offer, or no `Idempotency-Key`; `E4` quota; `E5` no users match; `E6` currency cannot be billed.',
      refusal,
    ),
    '403': reply(
      `\`E1\` environment is not the key's mode, the cost is above what is left of a spending limit, or the key may not pay from the balance; \`E9\` advertising terms not accepted. ${restricted}`,
      refusal,
    ),
    '409': reply('The first request with this key is still being processed.', plainMessage, retryAfter),
    '415': compressed,
    '422': reply('The key was used with a different payload.', plainMessage),
  },
};

const estimateGroup: ZodOpenApiOperationObject = {
  operationId: 'estimateGroupPrice',
  tags: ['Offer groups'],
  summary: 'Estimate the price of an offer at several places',
  description:
    'The price at each place and of all together. It costs as much of the limits of estimates as one estimate for each place.',
  requestBody: jsonRequest(groupEstimateRequest),
  responses: {
    ...estimate.responses,
    '200': reply(
      '`S1`. The money fields are null when the billing currency cannot be billed.',
      groupEstimateReply,
    ),
  },
};

const createGroup: ZodOpenApiOperationObject = {
  ...create,
  operationId: 'createGroup',
  tags: ['Offer groups'],
  summary: 'Create an offer at each of several places',
  description:
    'All are created and paid together, or none. Each is then an offer like any other. `Idempotency-Key` as for `POST /offers`, with which a key is shared: the same key there is another payload.',
  requestBody: { required: true, content: { 'multipart/form-data': { schema: createGroupForm } } },
  responses: {
    ...create.responses,
    '200': reply(
      '`S1` created; `E2` image failed moderation; `E3` balance below the cost of all (method `B`).',
      z.union([createGroupReply, refusal]),
      replayed,
    ),
    '400': reply(
      '`E1` invalid or missing input, start in the past, below the card minimum, or no `Idempotency-Key`; `E4` quota; `E5` no users match at places that the message names; `E6` currency cannot be billed.',
      refusal,
    ),
  },
};

const groupPath = { path: z.object({ group_id: groupId }) };
const groupNote = 'A group of another account or of the other mode is treated as not found: 401.';
const alwaysOfAGroup = {
  ...always,
  '401': reply(`\`E1\` the caller has no such group in this mode. ${refusedKey}`, unauthorised),
};

const readGroup: ZodOpenApiOperationObject = {
  operationId: 'readGroup',
  tags: ['Offer groups'],
  summary: 'A group with its offers, views and clicks',
  description: groupNote,
  requestParams: groupPath,
  responses: { '200': reply('The group.', groupReply), ...alwaysOfAGroup },
};

const groupSeries: ZodOpenApiOperationObject = {
  operationId: 'readGroupSeries',
  tags: ['Offer groups'],
  summary: 'Views and clicks of all offers of a group over time',
  description: `Deleted offers of the group count too. ${groupNote}`,
  requestParams: { ...groupPath, query: seriesQuery },
  responses: {
    '200': reply('The points.', groupSeriesReply),
    '400': reply('`E1` invalid interval or granularity.', refusal),
    ...alwaysOfAGroup,
  },
};

const changeGroup = (id: string, summary: string, note: string): ZodOpenApiOperationObject => ({
  operationId: id,
  tags: ['Offer groups'],
  summary,
  description: `${note} ${groupNote}`,
  requestParams: groupPath,
  responses: { '200': reply('`S1`: what became of each offer.', groupChangeReply), ...alwaysOfAGroup },
});
const eachByItself = 'Each as by itself: some can be refused while others are done.';

const update: ZodOpenApiOperationObject = {
  operationId: 'updateOffer',
  tags: ['Offers'],
  summary: 'Change what members see of an offer',
  description: `Category, texts, web address and picture. Place, radius, time, gender and interests belong to the price and stay. All given fields change, or none. Values that the offer has already are no change. ${notFoundNote}`,
  requestParams: {
    ...offerPath,
    header: z.object({
      'Idempotency-Key': idempotencyKey.optional().meta({
        description:
          'A unique value per change. A repeat with it returns the original response, also when the offer was changed again meanwhile.',
      }),
    }),
  },
  requestBody: { required: true, content: { 'multipart/form-data': { schema: updateOfferForm } } },
  responses: {
    '200': reply('`S1`; `E2` image failed moderation.', z.union([updateReply, refusal]), replayed),
    '400': reply('`E1` invalid input, nothing to change, or a field that cannot be changed.', refusal),
    ...alwaysOfAnOffer,
    ...notFound,
    '403': reply(
      `\`E1\` environment is not the key's mode; \`E9\` advertising terms not accepted. ${restricted}`,
      refusal,
    ),
    '409': reply(
      '`E3` ended. Without a code: the first request with this key is still being processed.',
      z.union([refusal, plainMessage]),
      { 'Retry-After': z.int().optional().meta({ description: 'Seconds to wait; only without a code.' }) },
    ),
    '415': compressed,
    '422': reply('The key was used with a different payload.', plainMessage),
  },
};

const updateGroup: ZodOpenApiOperationObject = {
  ...update,
  operationId: 'updateGroup',
  tags: ['Offer groups'],
  summary: 'Change what members see of all offers of a group',
  description: `As for a single offer, with one picture for all. All offers that are not deleted change, or none. ${groupNote}`,
  requestParams: { ...update.requestParams, ...groupPath },
  responses: { ...update.responses, '401': alwaysOfAGroup['401'] },
};

const list: ZodOpenApiOperationObject = {
  operationId: 'listOffers',
  tags: ['Offers'],
  summary: 'List offers, newest first',
  description:
    "Offers of the key's mode, without deleted ones. Pass `next_cursor` as `cursor` to read the next page, with the same filters.",
  requestParams: { query: listQuery },
  responses: {
    ...always,
    '200': reply('A page of offers.', listReply),
    '400': reply('`E1` invalid parameter.', refusal),
    '403': reply(`\`E1\` environment is not the key's mode. ${restricted}`, refusal),
  },
};

const readOne: ZodOpenApiOperationObject = {
  operationId: 'readOffer',
  tags: ['Offers'],
  summary: 'One offer, and what can be done with it now',
  description: notFoundNote,
  requestParams: offerPath,
  responses: { '200': reply('The offer.', offerReply), ...alwaysOfAnOffer },
};

const pause: ZodOpenApiOperationObject = {
  operationId: 'pauseOffer',
  tags: ['Offers'],
  summary: 'Pause an offer',
  description: notFoundNote,
  requestParams: offerPath,
  responses: {
    '200': reply(
      '`S1`; `E2` ended; `E3` already paused; `E5` awaiting payment.',
      z.union([pauseReply, refusal]),
    ),
    ...alwaysOfAnOffer,
    ...notFound,
  },
};

const resume: ZodOpenApiOperationObject = {
  operationId: 'resumeOffer',
  tags: ['Offers'],
  summary: 'Resume an offer',
  description: notFoundNote,
  requestParams: offerPath,
  responses: {
    '200': reply(
      '`S2`; `E2` ended; `E4` already running; `E5` awaiting payment.',
      z.union([resumeReply, refusal]),
    ),
    ...alwaysOfAnOffer,
    ...notFound,
  },
};

const remove: ZodOpenApiOperationObject = {
  operationId: 'deleteOffer',
  tags: ['Offers'],
  summary: 'Delete an offer; Unused Time is credited to the balance',
  description: notFoundNote,
  requestParams: offerPath,
  responses: {
    '200': reply('`S1`.', deleteReply),
    ...alwaysOfAnOffer,
    ...notFound,
    '409': reply('`E6` the payment just completed; nothing is deleted.', refusal),
    '503': reply(
      '`E7` the payment page cannot be closed, nothing is deleted; or a dependency is down.',
      z.union([refusal, plainMessage]),
      retryAfter,
    ),
  },
};

const analytics: ZodOpenApiOperationObject = {
  operationId: 'readAnalytics',
  tags: ['Analytics'],
  summary: 'Views and clicks of an offer',
  description: notFoundNote,
  requestParams: { ...offerPath, query: z.object({ interval: analyticsInterval }) },
  responses: {
    '200': reply('Counts between the two instants.', analyticsReply),
    '400': reply('`E1` invalid interval.', refusal),
    ...always,
  },
};

const series: ZodOpenApiOperationObject = {
  operationId: 'readAnalyticsSeries',
  tags: ['Analytics'],
  summary: 'Views and clicks of an offer over time',
  description: notFoundNote,
  requestParams: { ...offerPath, query: seriesQuery },
  responses: {
    '200': reply('The points.', analyticsSeriesReply),
    '400': reply('`E1` invalid interval or granularity.', refusal),
    ...alwaysOfAnOffer,
  },
};

const offerResults: ZodOpenApiOperationObject = {
  operationId: 'readOfferResults',
  tags: ['Analytics'],
  summary: 'What an offer has brought for its price',
  description: `Members, views, clicks and what they cost, and how much of the bought time has run. ${notFoundNote}`,
  requestParams: offerPath,
  responses: { '200': reply('The results.', offerResultsReply), ...alwaysOfAnOffer },
};

const results: ZodOpenApiOperationObject = {
  operationId: 'readResults',
  tags: ['Analytics'],
  summary: 'Views, clicks and spend of all offers in a period',
  description: 'Deleted offers count too. The period before is there for comparison.',
  requestParams: { query: resultsQuery },
  responses: {
    '200': reply('The sums.', resultsReply),
    '400': reply('`E1` invalid interval, days or time zone.', refusal),
    ...always,
  },
};

const changes: ZodOpenApiOperationObject = {
  operationId: 'listOfferChanges',
  tags: ['Offers'],
  summary: 'What was changed in an offer, newest first',
  description: `Such as who paused it: this key, another key, a person in the portal, or the platform. ${notFoundNote}`,
  requestParams: { ...offerPath, query: changesQuery },
  responses: {
    '200': reply('A page of changes.', changesReply),
    '400': reply('`E1` invalid parameter.', refusal),
    ...alwaysOfAnOffer,
  },
};

const key: ZodOpenApiOperationObject = {
  operationId: 'readKey',
  tags: ['Keys'],
  summary: 'What the key may do and spend',
  description: 'Ask it before you buy: a creation above what is left is refused.',
  responses: { '200': reply('The rights of the key.', keyReply), ...always },
};

const balance: ZodOpenApiOperationObject = {
  operationId: 'readBalance',
  tags: ['Balance'],
  summary: "The prepaid balance of the key's mode",
  description: 'Method `B` pays from it, and Unused Time is credited to it.',
  responses: { '200': reply('The balance.', balanceReply), ...always },
};

const entries: ZodOpenApiOperationObject = {
  operationId: 'listBalanceEntries',
  tags: ['Balance'],
  summary: 'What changed the balance, newest first',
  description:
    'Each entry has the balance after it. Card payments of offers are listed too; they do not change the balance. New entries do not change the following pages.',
  requestParams: { query: entriesQuery },
  responses: {
    '200': reply('A page of entries.', entriesReply),
    '400': reply('`E1` invalid parameter.', refusal),
    ...always,
  },
};

const creditEstimate: ZodOpenApiOperationObject = {
  operationId: 'estimateCredit',
  tags: ['Offers'],
  summary: 'What deleting the offer now would credit to the balance',
  description: `Changes nothing. ${notFoundNote}`,
  requestParams: offerPath,
  responses: { '200': reply('`S1`.', creditEstimateReply), ...alwaysOfAnOffer },
};

const notForLive = reply(`\`E1\` the key is a LIVE key: LIVE mode has no test clock. ${restricted}`, refusal);

const readClock: ZodOpenApiOperationObject = {
  operationId: 'readTestClock',
  tags: ['Testing'],
  summary: 'The time of the TEST offers',
  description: 'All TEST keys of the organisation share the clock.',
  responses: { ...always, '200': reply('The clock.', testClockReply), '403': notForLive },
};

const advanceClock: ZodOpenApiOperationObject = {
  operationId: 'advanceTestClock',
  tags: ['Testing'],
  summary: "Move the time of the organisation's TEST offers forward",
  description:
    'Scheduled offers become Active and Active offers end as if the time had passed, with their credits, webhooks and mails. All TEST keys of the organisation share the clock. It goes on running from there. If the reply was lost, look at the clock before you repeat `advance_seconds`: each request moves it.',
  requestBody: jsonRequest(advanceRequest),
  responses: {
    ...always,
    '200': reply('The clock after the advance.', testClockReply),
    '400': reply(
      '`E1` the body is neither of the two; or the clock would move back, or more than two years ahead.',
      refusal,
    ),
    '403': notForLive,
  },
};

const resetClock: ZodOpenApiOperationObject = {
  operationId: 'resetTestClock',
  tags: ['Testing'],
  summary: 'Set the time of the TEST offers back to the real time',
  description:
    'Only when every TEST offer has ended or was deleted. Offers that have ended stay so, with their dates.',
  responses: {
    ...always,
    '200': reply('The clock.', testClockReply),
    '403': notForLive,
    '409': reply('`E2` TEST offers have neither ended nor been deleted; nothing was changed.', refusal),
  },
};

/** The portal API has these paths too, with a session. */
export const sharedPaths = {
  '/categories': {
    get: {
      operationId: 'listCategories',
      tags: ['Catalogue'],
      summary: 'Categories available to the organisation',
      description: 'An offer has one of them: `category_id` of `POST /offers`.',
      responses: { '200': reply('Active categories.', categoriesReply), ...always },
    },
  },
  '/interests': {
    get: {
      operationId: 'listInterests',
      tags: ['Catalogue'],
      summary: 'Interests that can be targeted',
      description:
        'An offer can be limited to users with some of them: `interests` of an estimate and of a creation.',
      responses: { '200': reply('Interests.', interestsReply), ...always },
    },
  },
  '/offers/price-estimate': { post: estimate },
  '/offers': { post: create, get: list },
  '/offers/{offer_id}/pause': { post: pause },
  '/offers/{offer_id}/resume': { post: resume },
  '/offers/{offer_id}/analytics': { get: analytics },
  '/offers/{offer_id}': { patch: update, delete: remove },
  '/offer-groups/price-estimate': { post: estimateGroup },
  '/offer-groups': { post: createGroup },
  '/offer-groups/{group_id}/pause': {
    post: changeGroup('pauseGroup', 'Pause all offers of a group', eachByItself),
  },
  '/offer-groups/{group_id}/resume': {
    post: changeGroup('resumeGroup', 'Resume all offers of a group', eachByItself),
  },
  '/offer-groups/{group_id}': {
    patch: updateGroup,
    delete: changeGroup(
      'deleteGroup',
      'Delete all offers of a group',
      `${eachByItself} Offers that await payment are deleted together or not at all, also by \`DELETE /offers/{offer_id}\` of one of them.`,
    ),
  },
} satisfies Record<string, ZodOpenApiPathItemObject>;

/** The portal API has these too, with a session. */
export const webhookPaths = webhookPathsWith(always);

const {
  '/offers/{offer_id}': editAndDeletion,
  '/offer-groups/{group_id}': groupEditAndDeletion,
  ...pathsBeforeDeletion
} = sharedPaths;

/** In this order each request of the collection succeeds with a TEST key. For what only API keys have here, the portal API has calls of its own. */
export const publicPaths = {
  ...pathsBeforeDeletion,
  '/key': { get: key },
  '/balance': { get: balance },
  '/balance/entries': { get: entries },
  ...webhookPaths,
  '/offers/{offer_id}/analytics/series': { get: series },
  '/offers/{offer_id}/results': { get: offerResults },
  '/offers/{offer_id}/changes': { get: changes },
  '/results': { get: results },
  '/offers/{offer_id}/credit-estimate': { post: creditEstimate },
  '/offers/{offer_id}': { get: readOne, ...editAndDeletion },
  '/offer-groups/{group_id}/analytics/series': { get: groupSeries },
  '/offer-groups/{group_id}': { get: readGroup, ...groupEditAndDeletion },
  // At the end, because an offer that has not ended hinders the reset.
  '/test/clock': { get: readClock, post: advanceClock, delete: resetClock },
} satisfies Record<string, ZodOpenApiPathItemObject>;

/** @returns the document that is served at `/openapi.json` and committed as `generated/openapi.json`. */
export function openApiDocument() {
  const document = createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Offer Advertising Service',
        version: '1.0.0',
        description:
          'Create and manage advertising offers that are shown to members of a dating community. Every request carries `x-api-key`; a key works in one mode, TEST or LIVE.',
        ...publisher,
      },
      servers: [{ url: '/' }],
      tags: [
        { name: 'Catalogue', description: 'What an offer can be about, and whom it can be for.' },
        { name: 'Offers', description: 'Estimate, create, list, change, pause, resume and delete offers.' },
        { name: 'Offer groups', description: 'The same offer at several places, ordered and paid together.' },
        { name: 'Analytics', description: 'Views and clicks of offers, and what they cost.' },
        { name: 'Keys', description: 'What the key of the request may do.' },
        { name: 'Balance', description: 'The prepaid balance and what changed it.' },
        { name: 'Webhooks', description: 'Messages to your server about offers and the balance.' },
        { name: 'Events', description: 'The messages that a webhook gets. Your server answers them.' },
        { name: 'Testing', description: 'What only TEST mode has.' },
      ],
      security: [{ apiKey: [] }],
      components: { securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' } } },
      paths: publicPaths,
      webhooks: openApiWebhooks(),
    },
    { override: withoutNoise },
  );
  return withExamples(document);
}
