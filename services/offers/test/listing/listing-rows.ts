/** Offers put straight into the store, in any state and number, for tests of the listing's SQL. */

import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { Queryable } from '@offer-ads/platform/postgres/postgres';
import type { Lifecycle } from '../../src/domain/offer.ts';

/** The facts that the listing depends on. */
export type ListedFacts = Pick<
  Lifecycle,
  'createdAt' | 'startAt' | 'expiryAt' | 'paymentAppliedAt' | 'pausedSince' | 'disabledSince' | 'deletedAt'
> & {
  readonly offerId: number;
  readonly organisationId: number;
  readonly mode: Mode;
  readonly shownAt: Date | null;
  readonly activationAnnouncedAt: Date | null;
  readonly endAnnouncedAt: Date | null;
};

const columns = `offer_id, organisation_id, mode, created_at, start_at, expiry_at, paid_at, payment_applied_at, paused_since,
  disabled_since, deleted_at, shown_at, activation_announced_at, end_announced_at`;
/** The same for all, in the order of `commonValues`. */
const commonColumns = `trading_name, country, currency, category_id, title, description, terms_and_conditions, url, image,
  latitude, longitude, radius_miles, gender, interests, payment_method, net_minor, matching_users`;
const commonValues = `'Corner Cafe', 'GB', 'GBP', 1, 'Two for one', 'Two coffees for the price of one', '', 'https://cafe.example',
  repeat('a', 64) || '.jpg', 51.5, -0.1, 10, '{}'::text[], '{1}'::int[], 'B', 1000, 50`;

export async function putCatalogue(db: Queryable): Promise<void> {
  await db.query("INSERT INTO categories VALUES (1, 'Food & Drink', true, NULL)");
  await db.query("INSERT INTO interests VALUES (1, 'Hiking', true)");
}

export async function putOffers(db: Queryable, offers: readonly ListedFacts[]): Promise<void> {
  await db.query(
    `INSERT INTO offers (${columns}, ${commonColumns}) OVERRIDING SYSTEM VALUE
     SELECT "offerId", "organisationId", mode, "createdAt", "startAt", "expiryAt", "paymentAppliedAt", "paymentAppliedAt",
       "pausedSince", "disabledSince", "deletedAt", "shownAt", "activationAnnouncedAt", "endAnnouncedAt", ${commonValues}
     FROM json_to_recordset($1::json) AS facts ("offerId" int, "organisationId" int, mode text, "createdAt" timestamptz,
       "startAt" timestamptz, "expiryAt" timestamptz, "paymentAppliedAt" timestamptz, "pausedSince" timestamptz, "disabledSince" timestamptz,
       "deletedAt" timestamptz, "shownAt" timestamptz, "activationAnnouncedAt" timestamptz, "endAnnouncedAt" timestamptz)`,
    [JSON.stringify(offers)],
  );
}

/**
 * Many paid offers, created a minute apart from `from` on. Their start and expiry are this many days after the creation. What lies before
 * `now` was announced.
 */
export async function putManyOffers(
  db: Queryable,
  o: { organisationId: number; count: number; from: Date; startDays: number; expiryDays: number; now: Date },
): Promise<void> {
  await db.query(
    `INSERT INTO offers (organisation_id, mode, created_at, start_at, expiry_at, paid_at, payment_applied_at, shown_at,
       activation_announced_at, end_announced_at, ${commonColumns})
     SELECT $1, 'TEST', created, starts, expires, created, created, created,
       CASE WHEN starts <= $6 THEN starts END, CASE WHEN expires <= $6 THEN expires END, ${commonValues}
     FROM generate_series(0, $2::int - 1) AS n,
       LATERAL (SELECT $3::timestamptz + n * interval '1 minute') AS a (created),
       LATERAL (SELECT created + $4 * interval '1 day', created + $5 * interval '1 day') AS b (starts, expires)`,
    [o.organisationId, o.count, o.from, o.startDays, o.expiryDays, o.now],
  );
}
