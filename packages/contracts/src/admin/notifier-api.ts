/** The internal admin routes of notifier: what became of mails (admin-api.ts says what holds for all of them). */

import { z } from 'zod';
import { zonedDateTime } from '../values/date-time.ts';
import { instant, organisationId } from '../values/primitives.ts';

/**
 * `waiting`: nobody is known to whom it could go. `failed`: parked with the reason. `suppressed`: a server has said that nobody
 * is at the address.
 */
export const notificationState = z.enum(['waiting', 'pending', 'sending', 'sent', 'failed', 'suppressed']);
export type NotificationState = z.infer<typeof notificationState>;

/** GET /admin/notifications? : the latest first. Never what they say, which holds links that open doors. */
export const notificationsQuery = z.object({
  state: notificationState.optional(),
  organisationId: z.coerce.number().pipe(organisationId).optional(),
  /** In any case. */
  recipient: z.string().min(1).max(254).optional(),
  since: zonedDateTime.optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
});
export type NotificationsQuery = z.infer<typeof notificationsQuery>;
const notificationSummary = z.object({
  /** Its cause and its recipient. */
  id: z.string(),
  state: notificationState,
  event: z.string(),
  /** Null: it is for somebody who has no organisation yet. */
  organisationId: organisationId.nullable(),
  recipient: z.string().nullable(),
  subject: z.string().nullable(),
  createdAt: instant,
  attempts: z.int().nonnegative(),
  /** Null when no attempt is to come. */
  nextAttemptAt: instant.nullable(),
  settledAt: instant.nullable(),
  problem: z.string().nullable(),
});
export type NotificationSummary = z.infer<typeof notificationSummary>;
export const notificationsReply = z.object({ notifications: z.array(notificationSummary) });

/** GET /admin/notifications/one? and POST /admin/notifications/resend, which answers with it as it then is. */
export const notificationNamed = z.object({ id: z.string().min(1).max(1_000) });
export const notificationReply = notificationSummary.extend({
  /** As its mail carries it at every attempt; null while it waits. */
  messageId: z.string().nullable(),
  expiresAt: instant.nullable(),
  /** What came of its attempts, the latest last. */
  history: z.array(
    z.object({
      at: instant,
      state: notificationState,
      problem: z.string().nullable(),
      /** The server's words when it took the mail. */
      reply: z.string().nullable(),
      /** The server may have taken it all the same, so the next attempt may have made it two. */
      uncertain: z.boolean(),
    }),
  ),
  resends: z.array(z.object({ at: instant, by: z.string() })),
});
export type NotificationShown = z.infer<typeof notificationReply>;

/** GET /admin/bounces?limit= : addresses at which a server said that nobody is, the latest first. */
export const bouncesQuery = z.object({ limit: z.coerce.number().int().min(1).max(1_000).default(100) });
export const bouncesReply = z.object({
  bounces: z.array(
    z.object({
      address: z.string(),
      refusals: z.int().positive(),
      lastRefusedAt: instant,
      /** Until then mails to it are suppressed. */
      heededUntil: instant,
      problem: z.string(),
    }),
  ),
});
export type BouncesReply = z.infer<typeof bouncesReply>;
/** POST /admin/bounces/forget, which answers with the address. */
export const bounceNamed = z.object({ address: z.string().min(1).max(254) });
