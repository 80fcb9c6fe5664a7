/**
 * Webhooks of the public API as zod schemas: endpoints, their messages, and the commands for both. The portal has the same calls with a
 * session. What the messages say is in `webhooks/webhook-types.ts` (decisions 220 to 227).
 */
import { z } from 'zod';
import { idempotencyKeyRule } from '../values/idempotency-key.ts';
import { openEnum } from '../values/open-enum.ts';
import { mode } from '../values/primitives.ts';
import { webhookLimits } from '../values/webhook-limits.ts';
import { eventTypes } from '../webhooks/webhook-types.ts';
import { listReply, pageQuery, utcInstant } from './api.ts';

/** Written without `\p{Cc}`, because Python and others compile the patterns of the description and know no such class. */
const oneLine = String.raw`^[^\u0000-\u001f\u007f-\u009f]*$`;

const eventType = z.enum(eventTypes);
const webhookId = z.string().meta({ examples: ['we_oqQ3SnVYgZ0HVhm1WcgS'] });
const messageId = z
  .string()
  .meta({ description: 'The `webhook-id` header, the same at each attempt. Ignore ids that you know.' });

/** The body of POST /webhooks and PUT /webhooks/{webhook_id}. Unknown fields are refused: a misspelt `event_types` would mean all types. */
export const webhookRequest = z
  .strictObject({
    url: z
      .string()
      .max(webhookLimits.urlLength)
      .meta({
        description:
          'An https address on the public internet, at port 443 or from 1024 on. An organisation has one webhook for an address and mode.',
        examples: ['https://shop.example/hooks'],
      }),
    description: z
      .string()
      .max(webhookLimits.descriptionLength)
      .regex(new RegExp(oneLine), 'must not contain line breaks or control characters')
      .nullable()
      .optional()
      .meta({ description: 'For yourself, such as the name of the system that receives.' }),
    event_types: z
      .array(eventType)
      .min(1)
      .max(eventTypes.length)
      .refine((types) => new Set(types).size === types.length, 'must not name a type twice')
      .meta({ override: { uniqueItems: true } })
      .nullable()
      .optional()
      .meta({ description: 'Omitted or null: all types, also those that are added later.' }),
    ed25519: z.boolean().optional().meta({
      description:
        'True: messages are also signed with `v1a`, which the `public_key` of the webhook verifies.',
    }),
  })
  .meta({ id: 'WebhookRequest' });
export type WebhookRequest = z.infer<typeof webhookRequest>;

export const webhook = z
  .object({
    webhook_id: webhookId,
    environment: mode.meta({ description: 'The mode whose events it gets.' }),
    url: z.string().meta({ examples: ['https://shop.example/hooks'] }),
    description: z
      .string()
      .nullable()
      .meta({ examples: ['Shop'] }),
    event_types: z
      .array(eventType.meta({ override: openEnum }))
      .nullable()
      .meta({ description: 'Null: all types. More types may be added.' }),
    ed25519: z.boolean().meta({ description: 'Whether messages are also signed with `v1a`.' }),
    public_key: z.string().nullable().meta({
      description:
        '`whpk_...`: verifies the signatures `v1a`. A roll of the secret replaces it. Null without them.',
    }),
    status: z.enum(['enabled', 'disabled']),
    disabled_reason: z
      .enum(['requested', 'failing', 'gone', 'platform'])
      .meta({ override: openEnum })
      .nullable()
      .meta({
        description:
          '`requested` by your organisation, `failing` for five days, `gone`: it answered 410, `platform`: by the platform team. Null while it is enabled.',
      }),
    failing_since_datetime: utcInstant.nullable().meta({
      description: 'All attempts since then have failed. After five days it is disabled.',
    }),
    previous_secret_expiry_datetime: utcInstant.nullable().meta({
      description: 'Until then messages are also signed with the secret before the latest one.',
    }),
    creation_datetime: utcInstant,
  })
  .meta({ id: 'Webhook' });
export type WebhookReply = z.infer<typeof webhook>;

export const webhooksReply = z
  .object({
    webhooks: z.array(webhook),
    sender_addresses: z
      .array(z.string())
      .nullable()
      .meta({
        description:
          'Addresses and networks from which messages come, for your firewall. Null: they may change.',
        examples: [['192.0.2.10', '2001:db8::/64']],
      }),
  })
  .meta({ id: 'Webhooks' });
export type WebhooksReply = z.infer<typeof webhooksReply>;

/** POST /webhooks and POST /webhooks/{webhook_id}/roll-secret */
export const webhookWithSecret = webhook
  .extend({
    secret: z.string().meta({
      description: 'The secret that signs the messages: `whsec_...`. It is shown in this reply alone.',
    }),
  })
  .meta({ id: 'WebhookWithSecret' });
export type WebhookWithSecret = z.infer<typeof webhookWithSecret>;

/** DELETE /webhooks/{webhook_id} */
export const webhookDeleted = z
  .object({ webhook_id: webhookId, message: z.string().meta({ examples: ['Webhook has been deleted'] }) })
  .meta({ id: 'DeletedWebhook' });
export type WebhookDeleted = z.infer<typeof webhookDeleted>;

export const messageStatus = z.enum(['pending', 'delivered', 'failed', 'missed']).meta({
  description:
    '`pending`: it waits for its first or next attempt. `failed`: the tenth attempt failed. `missed`: the webhook was disabled. Failed and missed messages can be sent again.',
});

export const webhookMessage = z
  .object({
    message_id: messageId,
    event_type: z.string().meta({ description: 'One of `event_types`, or `webhook.test`.' }),
    status: messageStatus,
    creation_datetime: utcInstant,
    next_attempt_datetime: utcInstant.nullable(),
    body: z.record(z.string(), z.unknown()).meta({ description: 'What is sent.' }),
    attempts: z
      .array(
        z.object({
          attempt_datetime: utcInstant,
          duration_ms: z.int(),
          http_status: z.int().nullable().meta({ description: 'Null: there was no answer.' }),
          answer: z.string().nullable().meta({ description: 'The first kilobyte of the answer.' }),
          problem: z.string().nullable().meta({ description: 'Why there was no answer.' }),
        }),
      )
      .meta({ description: 'The latest ten, the last one last.' }),
  })
  .meta({ id: 'WebhookMessage' });
export type WebhookMessage = z.infer<typeof webhookMessage>;

/** GET /webhooks/{webhook_id}/messages */
export const messagesQuery = z.object({
  ...pageQuery,
  status: messageStatus.optional(),
});
export const messagesReply = z
  .object({ data: z.array(webhookMessage), pagination: listReply.shape.pagination })
  .meta({ id: 'WebhookMessages' });
export type MessagesReply = z.infer<typeof messagesReply>;

/** POST /webhooks/{webhook_id}/resend */
export const resendRequest = z
  .strictObject({
    since: utcInstant.meta({
      description: 'Messages that were made at this moment or later.',
      examples: ['2026-06-01T12:00:00Z'],
    }),
    include_delivered: z.boolean().default(false).optional().meta({
      description: 'Also those that were delivered, for a receiver that lost them.',
    }),
  })
  .meta({ id: 'ResendRequest' });

export const resendReply = z
  .object({
    resent: z.int().meta({ description: `At most ${webhookLimits.resentAtOnce}, the oldest first.` }),
    next_since: utcInstant.nullable().meta({
      description: 'There are more: call again with this moment as `since`. Null: that was all.',
    }),
  })
  .meta({ id: 'Resent' });
export type ResendReply = z.infer<typeof resendReply>;

/** The header of POST /webhooks. */
export const webhookIdempotencyKey = z.string().meta({
  description: `Optional, ${idempotencyKeyRule}. A repeat with the same key within a day answers with the same webhook and makes none.`,
});
