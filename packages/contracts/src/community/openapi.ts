/** The placements API as an OpenAPI 3.1 document, for the community platform. */
import { z } from 'zod';
import { createDocument, type ZodOpenApiResponseObject } from 'zod-openapi';
import { plainMessage } from '../public/api.ts';
import { withoutNoise } from '../public/json-schema.ts';
import { placementsReply, placementsRequest, viewsReply, viewsRequest } from './placements-api.ts';
import { runningOffersQuery, runningOffersReply } from './running-offers-api.ts';

function reply(
  description: string,
  schema: z.ZodType,
  headers: z.ZodRawShape = {},
): ZodOpenApiResponseObject {
  const everyReply = {
    'X-Request-Id': z.string().meta({ description: 'Identifies the request in all logs.' }),
  };
  return {
    description,
    headers: z.object({ ...everyReply, ...headers }),
    content: { 'application/json': { schema } },
  };
}

const retryAfter = { 'Retry-After': z.int().meta({ description: 'Seconds to wait.' }) };
const always = {
  '400': reply('`message` names the field and what it must be.', plainMessage),
  '401': reply('The key is not a placement key that works.', plainMessage),
  '413': reply('The body is too large.', plainMessage),
  '429': reply("The key's limit is used up.", plainMessage, retryAfter),
  '500': reply('Internal server error.', plainMessage),
  '503': reply(
    'A dependency is down, and nothing was counted. Send the same request again.',
    plainMessage,
    retryAfter,
  ),
};
const { '413': _noBody, ...withoutBody } = always;
const json = (schema: z.ZodType) => ({ required: true, content: { 'application/json': { schema } } });

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
      },
      servers: [{ url: '/' }],
      security: [{ placementKey: [] }],
      components: {
        securitySchemes: { placementKey: { type: 'apiKey', in: 'header', name: 'x-api-key' } },
      },
      paths: {
        '/placements': {
          post: {
            operationId: 'findPlacements',
            summary: 'The offers that a member sees now',
            requestBody: json(placementsRequest),
            responses: {
              '200': reply('At most `wanted` offers, in the order in which to show them.', placementsReply),
              ...always,
            },
          },
        },
        '/placements/offers': {
          get: {
            operationId: 'listRunningOffers',
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
            summary: 'Counts offers that were seen',
            requestBody: json(viewsRequest),
            responses: { '200': reply('Counted, now or at an earlier request.', viewsReply), ...always },
          },
        },
      },
    },
    { override: withoutNoise },
  );
}
