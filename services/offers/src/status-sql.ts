/**
 * The states of an offer in SQL, for statements and indexes that choose offers by them. `statusAt` and `isLive` are here once more:
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

/** The few offers whose start or end has come and is not announced yet, deleted ones too where it still is to be: index `offers_to_refile`. */
export const movedOnSql = (now: string) =>
  `(deleted_at IS NULL OR deleted_at >= expiry_at) AND shown_at IS NOT NULL
   AND offer_refiled_at(start_at, expiry_at, payment_applied_at, paused_since, activation_announced_at, end_announced_at) <= ${now}`;

/** Shown to its advertiser, and neither deleted nor over: followers of the events know it. */
export const isRunningSql = 'end_announced_at IS NULL AND shown_at IS NOT NULL AND deleted_at IS NULL';

/** An offer that was deleted before its expiry never ends. */
export const endsOnceSql = 'shown_at IS NOT NULL AND (deleted_at IS NULL OR deleted_at >= expiry_at)';
/** Its end is still to be announced, now or later. */
export const endIsDueSql = `end_announced_at IS NULL AND ${endsOnceSql}`;

export const endsSoonOnceSql = `payment_applied_at IS NOT NULL AND deleted_at IS NULL AND disabled_since IS NULL
  AND expiry_at - start_at >= interval '48 hours'`;
/** Its end is announced a day before. As in the index `offers_ending_soon`. */
export const endsSoonSql = `end_soon_announced_at IS NULL AND end_announced_at IS NULL AND ${endsSoonOnceSql}`;
export const isLastDaySql = (now: string) =>
  `expiry_at > ${now} AND expiry_at <= ${now}::timestamptz + interval '24 hours'`;

/** The test clock of TEST offers, as `clock`. @param offers the name of their table */
export const withClockSql = (offers: string) =>
  `LEFT JOIN test_clocks AS clock ON ${offers}.mode = 'TEST' AND clock.organisation_id = ${offers}.organisation_id`;

/** The time of an offer beside its `clock` (decision 216, test clock). @param now an expression for the real time */
export const momentSql = (now: string) =>
  `(${now}::timestamptz + coalesce(clock.ahead_seconds, 0) * interval '1 second')`;

/** Its content waits for a look of the platform's staff. */
export const waitsForReviewSql =
  'review_waiting_since IS NOT NULL AND deleted_at IS NULL AND end_announced_at IS NULL';

/** Members may see the offer between its start and its expiry. */
export const mayBeSeenSql = `shown_at IS NOT NULL AND payment_applied_at IS NOT NULL AND deleted_at IS NULL
  AND paused_since IS NULL AND disabled_since IS NULL`;

/**
 * A list of conditions instead of `statusAtSql`, so that the indexes of offers that have not ended serve it. Reservations are not live.
 * @param now an expression for the moment
 */
export const isLiveSql = (now: string) =>
  `end_announced_at IS NULL AND ${mayBeSeenSql} AND start_at <= ${now} AND expiry_at > ${now}`;
