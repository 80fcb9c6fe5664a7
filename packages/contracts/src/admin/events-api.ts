/** The internal admin routes of every service about parked events and published events (general rules: api.ts). */

import { z } from 'zod';
import { zonedDateTime } from '../values/date-time.ts';
import { reason } from './api.ts';

/** GET /admin/parked?limit= */
export const parkedPage = z.object({ limit: z.coerce.number().int().min(1).max(1_000).default(100) });
export const parkedReply = z.object({
  parked: z.array(
    z.object({
      id: z.string(),
      type: z.string().nullable(),
      subject: z.string().nullable(),
      reason: z.string(),
      attempts: z.int().nonnegative(),
      /** ISO 8601; null when the broker itself parked it, after repeated crashes. */
      parkedAt: z.string().nullable(),
      body: z.string(),
    }),
  ),
});
export type ParkedMessage = z.infer<typeof parkedReply>['parked'][number];
/** POST /admin/parked/replay and /drop */
export const parkedSelection = z.object({
  ids: z.union([z.literal('all'), z.array(z.string()).min(1)]),
  reason,
});

/** POST /admin/events/republish: events that happened at or after `from` and, if `to` is given, before it. */
export const republishRequest = z.object({
  from: zonedDateTime,
  to: zonedDateTime.optional(),
  /** `upTo` of the first reply, for further requests of the same selection. */
  upTo: z
    .string()
    .regex(/^\d{1,18}$/)
    .transform(BigInt)
    .optional(),
});
/** `republished` 0: there are no more. */
export const republishReply = z.object({ republished: z.int().nonnegative(), upTo: z.string() });
export type RepublishReply = z.infer<typeof republishReply>;
