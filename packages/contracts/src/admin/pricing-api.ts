/** The internal admin routes of pricing: members and exchange rates (admin-api.ts says what holds for all of them). */

import { z } from 'zod';
import { currency, instant } from '../values/primitives.ts';
import { reason } from './api.ts';

/** POST /admin/members/generate */
export const memberGeneration = z.object({
  count: z.int().min(1).max(100_000_000),
  seed: z.int().nonnegative(),
});

/** POST /admin/members/check */
export const membersCheckRequest = z.object({ repair: z.boolean().default(false) });
/** How the audience index of the replica that answers compares with MongoDB. Numbers only: ids of members are personal. */
export const membersCheckReply = z.object({
  /** Nothing differs, or no longer. */
  ok: z.boolean(),
  /** Who counts by MongoDB, and by the index. */
  members: z.int().nonnegative(),
  indexed: z.int().nonnegative(),
  /** Count by MongoDB alone, by the index alone, and by both but differently. */
  missing: z.int().nonnegative(),
  surplus: z.int().nonnegative(),
  different: z.int().nonnegative(),
  repaired: z.int().nonnegative(),
  /** False: so many differ that it was not looked any further. */
  complete: z.boolean(),
});
export type MembersCheck = z.infer<typeof membersCheckReply>;

/** GET /admin/rates : as the replica that answers has them. */
export const ratesReply = z.object({
  /** The newest fixing in use; null: there is none, and only pounds can be billed. */
  date: z.string().nullable(),
  /** Fixings that should exist by now and are not there; out of date from 2 on, and 30 stands for that many or more. */
  missingFixings: z.int().nonnegative(),
  outOfDate: z.boolean(),
  /** Of the billed currencies, as callers are shown them; null: the currency cannot be billed now. */
  perGbp: z.array(z.object({ currency, rate: z.string().nullable() })),
  /** What came of the last look at the feed, if it was not taken; a fixing that jumps waits for a person. */
  refused: z
    .object({
      at: instant,
      reason: z.enum(['unreachable', 'malformed', 'wrong-date', 'older', 'jump']),
      problem: z.string(),
      /** Of the fixing that jumps, and the currencies that do. */
      jump: z
        .object({
          date: z.string(),
          currencies: z.array(
            z.object({ currency, lastPerEuro: z.string().nullable(), perEuro: z.string() }),
          ),
        })
        .nullable(),
    })
    .nullable(),
});
export type RatesReply = z.infer<typeof ratesReply>;

/** POST /admin/rates/refresh */
export const ratesRefresh = z.object({
  /** The date of the fixing in which a currency may have moved by more than 20 %, because somebody has made sure that it did. */
  acceptJump: z.iso.date().optional(),
  reason,
});
