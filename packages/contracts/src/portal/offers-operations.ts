/** The portal API's own calls about offers, and the listing, which contains more than in the public API. */
import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { advanceRequest, refusal, testClockReply } from '../public/api.ts';
import { reply } from '../public/reply-headers.ts';
import { idempotencyKey } from '../values/idempotency-key.ts';
import { MAX_OFFERS_AT_ONCE } from '../values/offers-list.ts';
import { offerId } from '../values/primitives.ts';
import * as offers from './offers-api.ts';
import { change, csvFile, read, refused } from './operations.ts';

const mode = z.enum(['test', 'live']);
const offerPath = z.object({ mode, offer_id: offerId });
const roles = 'Marketer, Admin';
const unknown = { '404': refused('The organisation has no such offer in this mode.') };

const bulkPaths = {
  '/{mode}/offers/pause': bulk('pauseOffers', 'Pause many offers'),
  '/{mode}/offers/resume': bulk('resumeOffers', 'Resume many offers'),
} satisfies ZodOpenApiPathsObject;

function bulk(id: string, summary: string) {
  return {
    post: change('Offers', {
      id,
      summary,
      description: `At most ${MAX_OFFERS_AT_ONCE}, each by itself as for a single offer: some can be refused while others are done.`,
      roles,
      parameters: { path: z.object({ mode }) },
      body: offers.bulkRequest,
      replies: { '200': reply('What became of each.', offers.bulkReply) },
    }),
  };
}

export const portalOfferPaths = {
  '/{mode}/offers': {
    get: read('Offers', {
      id: 'listOffers',
      summary: 'List and search offers, with their figures',
      description:
        'As in the public API, with prices, views, clicks and spend, filters for Scheduled and deleted offers, a search and sorts.',
      roles,
      parameters: { path: z.object({ mode }), query: offers.portalListQuery },
      replies: {
        '200': reply('A page of offers.', offers.portalListReply),
        '400': reply('`E1` invalid parameter.', refusal),
      },
    }),
  },
  '/{mode}/offers.csv': {
    get: read('Offers', {
      id: 'exportOffers',
      summary: 'The list as a CSV file',
      description: `Newest first, in UTF-8 with a byte order mark. At most ${offers.MAX_CSV_ROWS.toLocaleString('en-GB')} offers: choose a shorter time of creation where there are more.`,
      roles,
      parameters: { path: z.object({ mode }), query: offers.offersCsvQuery },
      replies: {
        '200': csvFile('The offers.'),
        '400': refused('A parameter is invalid, or there are too many offers; the message says which.'),
      },
    }),
  },
  '/{mode}/results': {
    get: read('Offers', {
      id: 'readResults',
      summary: 'What runs now, and views, clicks and spend of the last days',
      description:
        'Sums over all offers of the organisation, deleted ones too, beside those of the days before.',
      roles,
      parameters: { path: z.object({ mode }), query: offers.resultsQuery },
      replies: {
        '200': reply('The results.', offers.resultsReply),
        '400': refused('A parameter is invalid; the message names it.'),
      },
    }),
  },
  ...bulkPaths,
  '/{mode}/creations/{idempotency_key}': {
    get: read('Offers', {
      id: 'readCreation',
      summary: 'The outcome of the creation of an offer whose reply was lost',
      description: 'Ask with the `Idempotency-Key` of the creation. Changes nothing.',
      roles,
      parameters: { path: z.object({ mode, idempotency_key: idempotencyKey }) },
      replies: { '200': reply('How far it came.', offers.creationReply) },
    }),
  },
  '/{mode}/offers/{offer_id}': {
    get: read('Offers', {
      id: 'readOffer',
      summary: 'One offer, with its price',
      description:
        'Also one that was deleted, with its final facts. An offer of another organisation or of the other mode is treated as not found.',
      roles,
      parameters: { path: offerPath },
      replies: { '200': reply('The offer.', offers.portalOffer), ...unknown },
    }),
  },
  '/{mode}/offers/{offer_id}/credit': {
    get: read('Offers', {
      id: 'readCreditOfDeletion',
      summary: 'What a deletion at this moment would credit to the balance',
      description: 'Changes nothing. The credit of an Active offer decreases every second.',
      roles,
      parameters: { path: offerPath },
      replies: { '200': reply('The credit.', offers.offerCreditReply), ...unknown },
    }),
  },
  '/{mode}/offers/{offer_id}/review-request': {
    post: change('Offers', {
      id: 'requestReview',
      summary: 'Ask the platform team to look again at an offer that it has disabled',
      description: 'An edit of a disabled offer asks for it too. While the offer waits, nothing changes.',
      roles,
      parameters: { path: offerPath },
      replies: {
        '200': reply('The offer, which waits.', offers.portalOffer),
        ...unknown,
        '409': refused('The offer is not disabled, or has ended.'),
      },
    }),
  },
  '/{mode}/offers/{offer_id}/analytics/series': {
    get: read('Offers', {
      id: 'readAnalyticsSeries',
      summary: 'Views and clicks of an offer over time, for charts',
      description: 'Oldest first, without gaps. Also of an offer that was deleted.',
      roles,
      parameters: { path: offerPath, query: offers.seriesQuery },
      replies: {
        '200': reply('The points.', offers.seriesReply),
        '400': refused('The interval or the time zone is invalid.'),
        ...unknown,
      },
    }),
  },
  '/{mode}/offers/{offer_id}/analytics.csv': {
    get: read('Offers', {
      id: 'exportAnalytics',
      summary: 'Views and clicks of an offer over time, as a CSV file',
      description: 'The points of the series, oldest first, in UTF-8 with a byte order mark.',
      roles,
      parameters: { path: offerPath, query: offers.seriesQuery },
      replies: {
        '200': csvFile('The points.'),
        '400': refused('The interval or the time zone is invalid.'),
        ...unknown,
      },
    }),
  },
  '/test/offers/{offer_id}/simulated-traffic': {
    post: change('Offers', {
      id: 'simulateTraffic',
      summary: 'Simulate views and clicks of an Active offer, in TEST mode',
      description: 'They count from now, like views and clicks of members. Not available in LIVE mode.',
      roles,
      parameters: { path: z.object({ offer_id: offerId }) },
      body: offers.simulatedTraffic,
      replies: {
        '200': reply("The offer's total views and clicks.", offers.simulatedTrafficReply),
        ...unknown,
        '409': refused('The offer is not shown to members at present; the message says why.'),
      },
    }),
  },
  '/test/clock': {
    get: read('Offers', {
      id: 'readTestClock',
      summary: 'The time of the TEST offers',
      description: 'As in the public API. Not available in LIVE mode.',
      roles,
      parameters: {},
      replies: { '200': reply('The clock.', testClockReply) },
    }),
    post: change('Offers', {
      id: 'advanceTestClock',
      summary: 'Move the time of the TEST offers forward',
      description: 'As in the public API. Not available in LIVE mode.',
      roles,
      parameters: {},
      body: advanceRequest,
      replies: {
        '200': reply('The clock after the advance.', testClockReply),
        '400': reply('`E1` the body is invalid, or the clock cannot move there.', refusal),
      },
    }),
    delete: change('Offers', {
      id: 'resetTestClock',
      summary: 'Set the time of the TEST offers back to the real time',
      description: 'As in the public API. Not available in LIVE mode.',
      roles,
      parameters: {},
      replies: {
        '200': reply('The clock.', testClockReply),
        '409': reply('`E2` TEST offers have neither ended nor been deleted.', refusal),
      },
    }),
  },
} satisfies ZodOpenApiPathsObject;
