/**
 * The status of an offer in SQL, for statements that choose offers by it: `statusAt` and `isLive` with `effectiveAt`, once more.
 * test/listing/listing-status.int.test.ts compares both with the domain, on random offers at random moments.
 */
import type { ListedStatus } from './domain/listing-query.ts';

/** @param now an expression for the moment, such as a parameter */
export const statusAtSql = (now: string) =>
  `CASE
  WHEN expiry_at <= ${now} OR end_announced_at IS NOT NULL THEN 'ended'
  WHEN payment_applied_at IS NULL THEN 'awaiting_payment'
  WHEN paused_since IS NOT NULL THEN 'paused'
  WHEN start_at <= ${now} THEN 'active'
  ELSE 'scheduled' END` satisfies `${string}'${ListedStatus}'${string}`;

/**
 * A list of conditions instead of `statusAtSql`, so that the indexes of offers that have not ended serve it. Reservations are not live.
 * @param now an expression for the moment
 */
export const isLiveSql = (now: string) =>
  `end_announced_at IS NULL AND shown_at IS NOT NULL AND deleted_at IS NULL AND payment_applied_at IS NOT NULL
    AND start_at <= ${now} AND expiry_at > ${now} AND paused_since IS NULL AND disabled_since IS NULL`;
