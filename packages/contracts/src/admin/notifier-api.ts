/** The internal admin routes of notifier: the state of mails (general rules: api.ts). */

import { z } from 'zod';
import { messageStatus, webhook } from '../public/webhooks-api.ts';
import { zonedDateTime } from '../values/date-time.ts';
import { enteredMailAddress } from '../values/mail-address.ts';
import { instant, mode, organisationId, personId } from '../values/primitives.ts';
import { reason } from './api.ts';

/**
 * `waiting`: no recipient is known yet. `failed`: parked with the reason. `suppressed`: a mail server has reported that the address does
 * not exist.
 */
export const notificationState = z.enum(['waiting', 'pending', 'sending', 'sent', 'failed', 'suppressed']);
export type NotificationState = z.infer<typeof notificationState>;

/** GET /admin/notifications? : latest first. Never with the text of mails, which contains sign-in links. */
export const notificationsQuery = z.object({
  state: notificationState.optional(),
  organisationId: z.coerce.number().pipe(organisationId).optional(),
  /** Upper and lower case are equal. */
  recipient: z.string().min(1).max(254).optional(),
  since: zonedDateTime.optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
});
export type NotificationsQuery = z.infer<typeof notificationsQuery>;
const notificationSummary = z.object({
  /** Made of its cause and its recipient. */
  id: z.string(),
  state: notificationState,
  event: z.string(),
  /** Null: the recipient has no organisation yet. */
  organisationId: organisationId.nullable(),
  recipient: z.string().nullable(),
  subject: z.string().nullable(),
  createdAt: instant,
  attempts: z.int().nonnegative(),
  /** Null when no further attempt is planned. */
  nextAttemptAt: instant.nullable(),
  settledAt: instant.nullable(),
  problem: z.string().nullable(),
});
export type NotificationSummary = z.infer<typeof notificationSummary>;
export const notificationsReply = z.object({ notifications: z.array(notificationSummary) });

/** GET /admin/notifications/one? and POST /admin/notifications/resend. Both answer with the notification's current state. */
export const notificationNamed = z.object({ id: z.string().min(1).max(1_000) });
export const notificationReply = notificationSummary.extend({
  /** The same at every attempt; null while it waits. */
  messageId: z.string().nullable(),
  expiresAt: instant.nullable(),
  /** The results of its attempts, latest last. */
  history: z.array(
    z.object({
      at: instant,
      state: notificationState,
      problem: z.string().nullable(),
      /** The server's reply when it accepted the mail. */
      reply: z.string().nullable(),
      /** The server may have accepted the mail in spite of the error, so the next attempt may have sent it twice. */
      uncertain: z.boolean(),
    }),
  ),
  resends: z.array(z.object({ at: instant, by: z.string() })),
});
export type NotificationShown = z.infer<typeof notificationReply>;

/** GET /admin/bounces?limit= : addresses that a mail server reported as not existing, latest first. */
export const bouncesQuery = z.object({ limit: z.coerce.number().int().min(1).max(1_000).default(100) });
export const bouncesReply = z.object({
  bounces: z.array(
    z.object({
      address: z.string(),
      refusals: z.int().positive(),
      lastRefusedAt: instant,
      /** Mails to the address are suppressed until then. */
      heededUntil: instant,
      problem: z.string(),
    }),
  ),
});
export type BouncesReply = z.infer<typeof bouncesReply>;
/** POST /admin/bounces/forget, which answers with the address. */
export const bounceNamed = z.object({ address: z.string().min(1).max(254) });

/** GET /admin/webhooks?organisationId= : both modes, the oldest first. Never with secrets, paths of addresses and answers of receivers. */
export const webhooksQuery = z.object({ organisationId: z.coerce.number().pipe(organisationId) });
const webhookSummary = z.object({
  id: z.string(),
  organisationId,
  mode,
  /** Of the address. A path may hold a credential. */
  host: z.string(),
  status: webhook.shape.status,
  disabledReason: webhook.shape.disabled_reason,
  failingSince: instant.nullable(),
  eventTypes: webhook.shape.event_types,
  createdAt: instant,
});
export type WebhookSummary = z.infer<typeof webhookSummary>;
export const webhooksListed = z.object({ webhooks: z.array(webhookSummary) });

/** GET /admin/webhooks/one?, POST /admin/webhooks/disable and /enable. All answer with the webhook's current state. */
export const webhookNamed = z.object({ id: z.string().min(1).max(100) });
export const webhookSwitch = webhookNamed.extend({ reason });
export const webhookShown = webhookSummary.extend({
  /** The latest twenty, the last one last. */
  changes: z.array(z.object({ at: instant, by: z.string(), what: z.string() })),
  /** The latest twenty, with the latest attempt of each. */
  messages: z.array(
    z.object({
      id: z.string(),
      type: z.string(),
      status: messageStatus,
      createdAt: instant,
      attempts: z.int().nonnegative(),
      lastAttemptAt: instant.nullable(),
      /** The status of the answer, or why there was none. */
      result: z.string().nullable(),
    }),
  ),
});
export type WebhookShown = z.infer<typeof webhookShown>;

/** POST /admin/people/erase: everything of an address. A repetition finds what is left. */
export const mailboxErasure = z.object({
  email: enteredMailAddress,
  /** The people whom the gateway has erased: their choices of mails are erased too. */
  personIds: z.array(personId).max(10_000),
  /** True: only says what would be erased. */
  dryRun: z.boolean(),
  reason,
});
export const mailboxErasureReply = z.object({
  /** Organisations of which the address was a contact. */
  contacts: z.int(),
  notifications: z.int(),
  bounces: z.int(),
  preferences: z.int(),
});
export type MailboxErasureReply = z.infer<typeof mailboxErasureReply>;
