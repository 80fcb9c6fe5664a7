/** The calls of the portal API about offers that the public API does not have, and its listing, which tells more here. */
import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { refusal } from '../public/api.ts';
import { idempotencyKey } from '../values/idempotency-key.ts';
import { offerId } from '../values/primitives.ts';
import * as offers from './offers-api.ts';
import { change, read, refused, reply } from './operations.ts';

const mode = z.enum(['test', 'live']);
const offerPath = z.object({ mode, offer_id: offerId });
const roles = 'Marketer, Admin';
const unknown = { '404': refused('The organisation has no such offer in this mode.') };

export const portalOfferPaths = {
  '/{mode}/offers': {
    get: read('Offers', {
      id: 'listOffers',
      summary: 'List offers, newest first',
      description: 'As in the public API, with prices and a filter for Scheduled.',
      roles,
      parameters: { path: z.object({ mode }), query: offers.portalListQuery },
      replies: {
        '200': reply('A page of offers.', offers.portalListReply),
        '400': reply('`E1` invalid parameter.', refusal),
      },
    }),
  },
  '/{mode}/creations/{idempotency_key}': {
    get: read('Offers', {
      id: 'readCreation',
      summary: 'What became of the creation of an offer whose answer was lost',
      roles,
      parameters: { path: z.object({ mode, idempotency_key: idempotencyKey }) },
      replies: { '200': reply('How far it came.', offers.creationReply) },
    }),
  },
  '/{mode}/offers/{offer_id}': {
    get: read('Offers', {
      id: 'readOffer',
      summary: 'One offer, with its price',
      roles,
      parameters: { path: offerPath },
      replies: { '200': reply('The offer.', offers.portalOffer), ...unknown },
    }),
  },
  '/{mode}/offers/{offer_id}/credit': {
    get: read('Offers', {
      id: 'readCreditOfDeletion',
      summary: 'What a deletion at this moment would credit to the balance',
      roles,
      parameters: { path: offerPath },
      replies: { '200': reply('The credit.', offers.offerCreditReply), ...unknown },
    }),
  },
  '/{mode}/offers/{offer_id}/analytics/series': {
    get: read('Offers', {
      id: 'readAnalyticsSeries',
      summary: 'Views and clicks of an offer over time, for charts',
      roles,
      parameters: { path: offerPath, query: offers.seriesQuery },
      replies: {
        '200': reply('The points.', offers.seriesReply),
        '400': refused('The interval does not fit.'),
        ...unknown,
      },
    }),
  },
  '/test/offers/{offer_id}/simulated-traffic': {
    post: change('Offers', {
      id: 'simulateTraffic',
      summary: 'Make up views and clicks of an Active offer, in TEST mode',
      description:
        'They count at this moment, as if members had seen the offer and clicked on it. There is no such thing in LIVE mode.',
      roles,
      parameters: { path: z.object({ offer_id: offerId }) },
      body: offers.simulatedTraffic,
      replies: {
        '200': reply('All that counts of the offer so far.', offers.simulatedTrafficReply),
        ...unknown,
        '409': refused('The offer is not shown to members now; the message says why.'),
      },
    }),
  },
} satisfies ZodOpenApiPathsObject;
