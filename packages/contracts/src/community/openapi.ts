/** The placements API as an OpenAPI 3.1 document, for the community platform. */
import { createDocument } from 'zod-openapi';
import { plainMessage } from '../public/api.ts';
import { withoutNoise } from '../public/json-schema.ts';
import { publisher } from '../public/publisher.ts';
import { jsonRequest, reply, retryAfter, uncountedReplyHeaders } from '../public/reply-headers.ts';
import { placementsReply, placementsRequest, viewsReply, viewsRequest } from './placements-api.ts';
import { runningOffersQuery, runningOffersReply } from './running-offers-api.ts';

const always = {
  '400': reply('`message` names the field and what it must be.', plainMessage),
  '401': reply('The key is not a placement key that works.', plainMessage),
  '413': reply('The body is too large.', plainMessage),
  '415': reply(
    'The body is not JSON in UTF-8, or is compressed otherwise than with gzip, deflate or br.',
    plainMessage,
  ),
  '429': reply("The key's limit is used up.", plainMessage, retryAfter),
  // Where the key could not be looked up, no limit has counted the request.
  '500': reply('Internal server error.', plainMessage, {}, uncountedReplyHeaders),
  '503': reply(
    'A dependency is down, and nothing was counted. Send the same request again.',
    plainMessage,
    retryAfter,
    uncountedReplyHeaders,
  ),
};
const { '413': _tooLong, '415': _otherType, ...withoutBody } = always;

/** @returns the document that is served at `/community/openapi.json` and committed as `generated/community-openapi.json`. */
export function communityOpenApiDocument() {
  return createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Offer Advertising Service: placements',
        version: '1.0.0',
        description:
          'For the servers of the community platform: which offers a member sees now, which of them were seen, and all offers that have not ended. Every request carries `x-api-key` with a placement key; a key shows offers of one mode, TEST or LIVE.',
        ...publisher,
      },
      servers: [{ url: '/' }],
      tags: [{ name: 'Placements', description: 'Which offers members see, and which they have seen.' }],
      security: [{ placementKey: [] }],
      components: {
        securitySchemes: { placementKey: { type: 'apiKey', in: 'header', name: 'x-api-key' } },
      },
      paths: {
        '/placements': {
          post: {
            operationId: 'findPlacements',
            tags: ['Placements'],
            summary: 'The offers that a member sees now',
            description:
              'Only offers whose price counted the member. Showing them counts nothing: send their tokens to `POST /placements/views` when they were seen.',
            requestBody: jsonRequest(placementsRequest),
            responses: {
              '200': reply('At most `wanted` offers, in the order in which to show them.', placementsReply),
              ...always,
            },
          },
        },
        '/placements/offers': {
          get: {
            operationId: 'listRunningOffers',
            tags: ['Placements'],
            summary:
              'All offers of the mode that have not ended, for a follower of the events that starts anew',
            description:
              'In the order of their ids. To miss nothing, bind your queue first, then read all pages, then work through the queue.',
            requestParams: { query: runningOffersQuery },
            responses: {
              '200': reply('A page. Each offer is a CloudEvent in the JSON format.', runningOffersReply),
              ...withoutBody,
            },
          },
        },
        '/placements/views': {
          post: {
            operationId: 'sendViews',
            tags: ['Placements'],
            summary: 'Counts offers that were seen',
            description: 'Safe to repeat: a token counts once. The reply says which tokens were refused.',
            requestBody: jsonRequest(viewsRequest),
            responses: { '200': reply('Counted, now or at an earlier request.', viewsReply), ...always },
          },
        },
      },
    },
    { override: withoutNoise },
  );
}
