/** The portal API as an OpenAPI 3.1 document: its own calls, and the calls of the public API with a session instead of a key. */
import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathItemObject,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import { plainMessage, refusal } from '../public/api.ts';
import { withExamples } from '../public/field-examples.ts';
import { withoutNoise } from '../public/json-schema.ts';
import { sharedPaths, webhookPaths } from '../public/openapi.ts';
import { publisher } from '../public/publisher.ts';
import { reply } from '../public/reply-headers.ts';
import { billingPaths } from './billing-operations.ts';
import { mailPaths } from './mail-operations.ts';
import { portalOfferPaths } from './offers-operations.ts';
import { csrfRefused, failures, notSignedIn, ownPaths } from './operations.ts';

const modePath = z.object({
  mode: z.enum(['test', 'live']).meta({
    description:
      'The mode, which an API key would determine. `live` is 403 until the platform team has approved the organisation.',
  }),
});

const plainOrCoded = z.union([plainMessage, refusal]);
const coded = (description: string) => reply(description, plainOrCoded);

type Subject = {
  readonly roles: string;
  /** If fewer may change than read. */
  readonly changedBy?: string;
};
const offers: Subject = { roles: 'Viewer, Marketer, Admin', changedBy: 'Marketer, Admin' };
const webhooks: Subject = { roles: 'Developer, Admin' };

/** Request and replies are those of the public API; the session replaces the API key. */
function underSession(
  method: string,
  operation: ZodOpenApiOperationObject,
  subject: Subject,
): ZodOpenApiOperationObject {
  const { roles, changedBy = roles } = subject;
  const { requestParams, responses } = operation;
  const ofOffer = subject === offers && requestParams?.path !== undefined;
  const changes = method !== 'get';
  const note = 'As in the public API.';
  const csrf = changes ? `; or ${lowerFirst(csrfRefused)}` : '';
  return {
    ...operation,
    description: operation.description === undefined ? note : `${note} ${operation.description}`,
    requestParams: { ...requestParams, path: withMode(requestParams?.path) },
    responses: {
      ...responses,
      '429': failures['429'],
      '500': failures['500'],
      // The deletion of an offer has its own 503.
      ...(method === 'delete' && subject === offers ? {} : { '503': failures['503'] }),
      '401': ofOffer
        ? coded(`${notSignedIn} \`E1\`, or without a code from analytics: no such offer.`)
        : reply(notSignedIn, plainMessage),
      // Bodies of another type are refused before they reach the service.
      ...(responses['415'] === undefined
        ? {}
        : { '415': coded('The body has another type or is compressed; with a code: as in the public API.') }),
      '403': coded(
        `Only for the roles ${changes ? changedBy : roles}${csrf}; with a code: as in the public API.`,
      ),
    },
    ...(changes ? { security: [{ session: [], csrf: [] }] } : {}),
  };
}

function withMode(path: unknown): z.ZodObject {
  return path instanceof z.ZodObject ? modePath.extend(path.shape) : modePath;
}

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

const asInPublic = (paths: ZodOpenApiPathsObject, subject: Subject): ZodOpenApiPathsObject =>
  Object.fromEntries(
    Object.entries(paths).map(([path, item]) => [
      `/{mode}${path}`,
      Object.fromEntries(
        Object.entries(item).map(([method, operation]) => [method, underSession(method, operation, subject)]),
      ),
    ]),
  );
/** The portal's own and extended calls replace those of the public API. */
const offerPaths = asInPublic(sharedPaths, offers);
for (const [path, item] of Object.entries<ZodOpenApiPathItemObject>(portalOfferPaths))
  offerPaths[path] = { ...offerPaths[path], ...item };

/** @returns the document that is served at `/portal/openapi.json` and committed as `generated/portal-openapi.json`. */
export function portalOpenApiDocument() {
  const document = createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Advertiser portal API',
        version: '1.0.0',
        description: [
          'The API behind the pages of the advertiser portal. People sign in with a one-time link that is sent to their email address; the session is a cookie.',
          'Unsafe methods need the header `X-CSRF-Token` with the `csrfToken` of the session. The session has its own rate limit: requests do not count against the 60 a minute of API clients. They are not in the call log.',
          'Date-times are ISO 8601 in UTC. A refusal is `{"message": ...}`; calls about offers also have the codes of the public API.',
        ].join('\n\n'),
        ...publisher,
      },
      servers: [{ url: '/portal/api' }],
      tags: [
        { name: 'Sign-in', description: 'Sign in with a link that is sent by email.' },
        { name: 'Sign-up', description: 'Register an organisation.' },
        { name: 'Session', description: 'The session, and all sessions of the email address.' },
        { name: 'Organisation', description: 'The organisation of the session.' },
        { name: 'Places', description: 'Saved places, for new offers.' },
        { name: 'People', description: 'The people of the organisation and their roles.' },
        { name: 'Terms', description: 'The advertising terms.' },
        { name: 'Keys', description: 'API keys of the organisation.' },
        { name: 'Calls', description: 'The log of calls with API keys.' },
        { name: 'Mails', description: 'Which optional mails a person gets.' },
        { name: 'Billing', description: 'Balance, statement, top-ups, invoices and credit notes.' },
        {
          name: 'Webhooks',
          description: 'Messages to servers of the organisation about offers and the balance.',
        },
        { name: 'Catalogue', description: 'What an offer can be about, and whom it can be for.' },
        { name: 'Offers', description: 'Estimate, create, list and change offers.' },
        { name: 'Offer groups', description: 'The same offer at several places, ordered and paid together.' },
        { name: 'Analytics', description: 'Views, clicks and spend of offers, and the tags of their links.' },
        { name: 'Testing', description: 'What only TEST mode has.' },
      ],
      security: [{ session: [] }],
      components: {
        securitySchemes: {
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: '__Host-session',
            description: 'Set by the sign-in. In development, without https, its name is `session`.',
          },
          csrf: { type: 'apiKey', in: 'header', name: 'X-CSRF-Token' },
        },
      },
      paths: {
        ...ownPaths,
        ...mailPaths,
        ...billingPaths,
        ...offerPaths,
        ...asInPublic(webhookPaths, webhooks),
      },
    },
    { override: withoutNoise },
  );
  return withExamples(document);
}
