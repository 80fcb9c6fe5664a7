/** The internal admin routes of pricing: members and exchange rates (general rules: api.ts). */

import { z } from 'zod';
import { currency, instant } from '../values/primitives.ts';
import { reason } from './api.ts';

/** POST /admin/members/check */
export const membersCheckRequest = z.object({ repair: z.boolean().default(false) });
/**
 * The replica that answers reads all members again from MongoDB, and compares. Only numbers, because ids of members are personal data.
 */
export const membersCheckReply = z.object({
  /** Nothing differs, or not any more. */
  ok: z.boolean(),
  /** Numbers of members: in MongoDB, and in the counts until now. */
  members: z.int().nonnegative(),
  counted: z.int().nonnegative(),
  /** Random targets that were counted both ways, and how many of them differed. */
  targets: z.int().nonnegative(),
  differing: z.int().nonnegative(),
  /** The members that were read count from now on. */
  repaired: z.boolean(),
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
      /** The date of the fixing that jumps, and its currencies. */
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
  /** The date of a fixing in which a currency may move by more than 20 %, because a person has verified it. */
  acceptJump: z.iso.date().optional(),
  reason,
});
