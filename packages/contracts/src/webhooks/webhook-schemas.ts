/** The bodies of webhooks as JSON Schemas, and whole webhooks as OpenAPI 3.1 describes them, for the generated documents. */
import { z } from 'zod';
import type { ZodOpenApiPathItemObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { messageSchema } from '../public/json-schema.ts';
import { webhookLimits } from '../values/webhook-limits.ts';
import { type WebhookType, webhookBody, webhookTypes } from './webhook-types.ts';

/** @returns the JSON Schema (draft 2020-12) of the body of a webhook. */
export function webhookJsonSchema(type: WebhookType): object {
  return { $id: `webhook.${type}.json`, ...messageSchema(webhookBody(type)) };
}

/** Each is a component of the document, so that it is written once for all webhooks. */
const header = z.object({
  'webhook-id': z.string().meta({
    param: { id: 'WebhookId' },
    description: 'The same at each attempt of a message. Ignore a message whose id you have handled.',
    examples: ['msg_2b3QzmCQy1Nl5fVtVw1kQf'],
  }),
  'webhook-timestamp': z.string().meta({
    param: { id: 'WebhookTimestamp' },
    description:
      'Seconds since 1970 at this attempt. Refuse a message that is more than five minutes from your clock.',
    examples: ['2064398400'],
  }),
  'webhook-signature': z.string().meta({
    param: { id: 'WebhookSignature' },
    description:
      'Signatures, separated by a blank: `v1,` and the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}` in base64. One of them must be yours. The key is what follows `whsec_` in the secret of the webhook, decoded from base64. With `ed25519` there is also `v1a,` and the Ed25519 signature of the same text.',
    examples: ['v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='],
  }),
});

const answers: ZodOpenApiResponsesObject = {
  '2XX': {
    id: 'WebhookTaken',
    description: `The message is stored. Answer within ${webhookLimits.answerSeconds} seconds, and work on the message afterwards.`,
  },
  '410': {
    id: 'WebhookGone',
    description: 'You want no more messages: the webhook is disabled, and the admins get a mail.',
  },
  default: {
    id: 'WebhookFailed',
    description:
      'Every other answer, a redirect too, and none in time is a failed attempt. A message has ten attempts in about three days.',
  },
};

/** By type. The address is the `url` of the webhook. */
export function openApiWebhooks(): Record<WebhookType, ZodOpenApiPathItemObject> {
  const described = (type: WebhookType): ZodOpenApiPathItemObject => {
    const body = webhookBody(type);
    const name = nameOf(type);
    return {
      post: {
        operationId: `receive${name}`,
        tags: ['Events'],
        summary: type,
        description: `${body.description} [Verify it](/docs/webhooks#receive-and-verify) before you use it.`,
        // The signature says who sent it.
        security: [],
        requestParams: { header },
        requestBody: {
          required: true,
          content: { 'application/json': { schema: body.meta({ id: `${name}Event` }) } },
        },
        responses: answers,
      },
    };
  };
  const entries = webhookTypes.map((type) => [type, described(type)] as const);
  return Object.fromEntries(entries) as Record<WebhookType, ZodOpenApiPathItemObject>;
}

/** `OfferUpdated` for `offer.updated`. */
function nameOf(type: WebhookType): string {
  return type
    .split(/[._]/)
    .map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`)
    .join('');
}
