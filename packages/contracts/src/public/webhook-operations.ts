/** The calls about webhooks in the OpenAPI documents of the public API and of the portal. */

import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathItemObject } from 'zod-openapi';
import { webhookLimits } from '../values/webhook-limits.ts';
import { plainMessage, refusal } from './api.ts';
import { jsonRequest, replayed, reply } from './reply-headers.ts';
import {
  messagesQuery,
  messagesReply,
  resendReply,
  resendRequest,
  webhook,
  webhookDeleted,
  webhookIdempotencyKey,
  webhookMessage,
  webhookRequest,
  webhooksReply,
  webhookWithSecret,
} from './webhooks-api.ts';

/** @param always the replies that every call may have */
export function webhookPathsWith(always: ZodOpenApiOperationObject['responses']) {
  const webhookPath = { path: z.object({ webhook_id: z.string() }) };
  const ofOne = {
    ...always,
    '404': reply('`E2` the organisation has no such webhook in this mode.', refusal),
  };
  const isOff = reply('`E5` the webhook is disabled.', refusal);
  const changed = reply('The webhook as it is now.', webhook);
  const taken = reply('`E3` there is a webhook for this url.', refusal);
  /** Of each call with a body. */
  const unreadable = {
    '413': reply('`E1` the body is longer than 16 KiB.', refusal),
    '415': reply(
      '`E1` the body is not JSON in UTF-8, or is compressed otherwise than with gzip, deflate or br.',
      refusal,
    ),
  };
  const invalid = reply('`E1` invalid input; the message names each field.', refusal);

  /** In this order each request of the collection succeeds. */
  return {
    '/webhooks': {
      post: {
        operationId: 'createWebhook',
        tags: ['Webhooks'],
        summary: 'Create a webhook; its secret is shown this once',
        description: `An organisation has at most ${webhookLimits.endpoints} webhooks in a mode.`,
        requestParams: { header: z.object({ 'Idempotency-Key': webhookIdempotencyKey.optional() }) },
        requestBody: jsonRequest(webhookRequest),
        responses: {
          '200': reply('The webhook with its secret.', webhookWithSecret, replayed),
          '400': reply('`E1` invalid input; the message names each field. `E4` too many webhooks.', refusal),
          '409': taken,
          ...unreadable,
          '422': reply('The key was used with a different payload.', plainMessage),
          ...always,
        },
      },
      get: {
        operationId: 'listWebhooks',
        tags: ['Webhooks'],
        summary: 'All webhooks of the mode, the oldest first',
        description: 'Without their secrets.',
        responses: { '200': reply('The webhooks.', webhooksReply), ...always },
      },
    },
    '/webhooks/{webhook_id}/test': {
      post: {
        operationId: 'testWebhook',
        tags: ['Webhooks'],
        summary: 'Send a test message, of the type webhook.test',
        description: 'The outcome is in the list of messages. Of test messages the latest twenty are kept.',
        requestParams: webhookPath,
        responses: { '200': reply('The message that will be sent.', webhookMessage), ...ofOne, '409': isOff },
      },
    },
    '/webhooks/{webhook_id}/messages': {
      get: {
        operationId: 'listWebhookMessages',
        tags: ['Webhooks'],
        summary: 'Messages with their attempts, the latest first',
        description: 'Messages are kept for 35 days. New messages do not change the following pages.',
        requestParams: { ...webhookPath, query: messagesQuery },
        responses: { '200': reply('A page of messages.', messagesReply), '400': invalid, ...ofOne },
      },
    },
    '/webhooks/{webhook_id}/messages/{message_id}/resend': {
      post: {
        operationId: 'resendWebhookMessage',
        tags: ['Webhooks'],
        summary: 'Send a message again now, with the same id, and with ten new attempts',
        description: 'Whatever its status is. The webhook must be enabled.',
        requestParams: { path: z.object({ webhook_id: z.string(), message_id: z.string() }) },
        responses: { '200': reply('The message.', webhookMessage), ...ofOne, '409': isOff },
      },
    },
    '/webhooks/{webhook_id}/resend': {
      post: {
        operationId: 'resendWebhookMessages',
        tags: ['Webhooks'],
        summary: 'Send all failed and missed messages since a moment again',
        description:
          'At most 1,000 in one call, the oldest first; the reply says where the next call goes on.',
        requestParams: webhookPath,
        requestBody: jsonRequest(resendRequest),
        responses: {
          '200': reply('How many will be sent.', resendReply),
          '400': invalid,
          ...ofOne,
          '409': isOff,
          ...unreadable,
        },
      },
    },
    '/webhooks/{webhook_id}/roll-secret': {
      post: {
        operationId: 'rollWebhookSecret',
        tags: ['Webhooks'],
        summary: 'Replace the secret; the new one is shown this once',
        description: `For ${webhookLimits.overlapHours} hours messages are signed with both secrets.`,
        requestParams: webhookPath,
        responses: {
          '200': reply('The webhook with its new secret.', webhookWithSecret),
          ...ofOne,
          '409': reply('`E7` it was rolled too often within a day.', refusal),
        },
      },
    },
    '/webhooks/{webhook_id}/disable': {
      post: {
        operationId: 'disableWebhook',
        tags: ['Webhooks'],
        summary: 'Disable a webhook; its messages are missed from now on',
        description: 'Messages that wait are missed too. It can be enabled again.',
        requestParams: webhookPath,
        responses: { '200': changed, ...ofOne },
      },
    },
    '/webhooks/{webhook_id}/enable': {
      post: {
        operationId: 'enableWebhook',
        tags: ['Webhooks'],
        summary: 'Enable a webhook; missed messages are sent on request alone',
        description: 'Also one that was disabled because it failed.',
        requestParams: webhookPath,
        responses: {
          '200': changed,
          ...ofOne,
          '409': reply('`E6` the platform team has disabled it.', refusal),
        },
      },
    },
    '/webhooks/{webhook_id}': {
      get: {
        operationId: 'readWebhook',
        tags: ['Webhooks'],
        summary: 'One webhook',
        description: 'Without its secret.',
        requestParams: webhookPath,
        responses: { '200': reply('The webhook.', webhook), ...ofOne },
      },
      put: {
        operationId: 'changeWebhook',
        tags: ['Webhooks'],
        summary: 'Replace url, description and event types of a webhook',
        description: 'What is left out is removed: no description, all types. The secret stays.',
        requestParams: webhookPath,
        requestBody: jsonRequest(webhookRequest),
        responses: { '200': changed, '400': invalid, ...ofOne, '409': taken, ...unreadable },
      },
      delete: {
        operationId: 'deleteWebhook',
        tags: ['Webhooks'],
        summary: 'Delete a webhook',
        description: 'Its secret and its messages cannot be read any more, and nothing is sent.',
        requestParams: webhookPath,
        responses: { '200': reply('It was deleted.', webhookDeleted), ...ofOne },
      },
    },
  } satisfies Record<string, ZodOpenApiPathItemObject>;
}
