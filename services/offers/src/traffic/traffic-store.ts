/** The SQL of views and clicks. Rows are written in one fixed order, so that batches of several replicas cannot deadlock. */
import type { Queryable, Transaction } from '@offer-ads/platform/postgres/postgres';
import type { Period } from '../domain/traffic/analytics-period.ts';
import { inboxSlot, OTHER_DAYS } from '../domain/traffic/inbox-slots.ts';
import type { Counts, RollUp, Traffic } from '../domain/traffic/traffic.ts';
import type { Owner } from '../offers-store.ts';

/**
 * The events that were not recorded before. Waits for a concurrent batch with the same events. An event that was far ahead of time when it
 * first came is found in the slot of other days.
 */
export async function recordTrafficEvents(
  tx: Transaction,
  events: readonly { readonly eventId: string; readonly seenAt: Date }[],
  now: Date,
): Promise<ReadonlySet<string>> {
  const recorded = await tx.query<{ event_id: string }>(
    `INSERT INTO traffic_inbox (event_id, slot, handled_at)
     SELECT event_id, slot, CASE WHEN slot = $3 THEN $4::timestamptz END
       FROM unnest($1::uuid[], $2::smallint[]) AS new (event_id, slot)
      WHERE NOT EXISTS (SELECT FROM traffic_inbox_other_days AS other WHERE other.event_id = new.event_id)
      ORDER BY event_id
     ON CONFLICT DO NOTHING RETURNING event_id`,
    [
      events.map(({ eventId }) => eventId),
      events.map(({ seenAt }) => inboxSlot(seenAt, now)),
      OTHER_DAYS,
      now,
    ],
  );
  return new Set(recorded.map((row) => row.event_id));
}

/** Frees the space at once. Nobody writes there now, so nobody waits. */
export async function emptySlot(db: Queryable, slot: number): Promise<void> {
  const table = `traffic_inbox_day_${slot}`;
  const rows = await db.query(`SELECT FROM ${table} LIMIT 1`);
  if (rows.length > 0) await db.query(`TRUNCATE ${table}`);
}

/** An offer that can have been seen: since when, by its own time, and whose it is. */
export type ShownOffer = Owner & { readonly offerId: number; readonly createdAt: Date };

/** Offers that were never shown are left out, because they cannot have been seen. */
export async function findShown(
  db: Queryable,
  offerIds: readonly number[],
): Promise<ReadonlyMap<number, ShownOffer>> {
  const rows = await db.query<ShownOffer>(
    `SELECT offer_id AS "offerId", organisation_id AS "organisationId", mode, created_at AS "createdAt"
       FROM offers WHERE offer_id = ANY ($1::integer[]) AND shown_at IS NOT NULL`,
    [offerIds],
  );
  return new Map(rows.map((offer) => [offer.offerId, offer]));
}

/**
 * Adds the changes to the counts, and to their sums for the portal. The caller prevents double counting by `recordTrafficEvents` in the
 * same transaction.
 */
export async function addTraffic(tx: Transaction, rollUps: readonly RollUp[]): Promise<void> {
  if (rollUps.length === 0) return;
  await addToHours(tx, rollUps);
  const counted = rollUps.filter(({ counts }) => counts.views !== 0 || counts.clicks !== 0);
  if (counted.length > 0) await addToSums(tx, counted);
}

async function addToHours(tx: Transaction, rollUps: readonly RollUp[]): Promise<void> {
  const column = (name: keyof Counts) => rollUps.map(({ counts }) => counts[name]);
  await tx.query(
    `INSERT INTO traffic AS known (offer_id, hour, views, clicks, views_repeated, clicks_repeated, views_automated,
                                   clicks_automated)
     SELECT * FROM unnest($1::integer[], $2::timestamptz[], $3::integer[], $4::integer[], $5::integer[], $6::integer[],
                          $7::integer[], $8::integer[]) AS new (offer_id, hour) ORDER BY offer_id, hour
     ON CONFLICT (offer_id, hour) DO UPDATE
     SET views = known.views + excluded.views, clicks = known.clicks + excluded.clicks,
         views_repeated = known.views_repeated + excluded.views_repeated,
         clicks_repeated = known.clicks_repeated + excluded.clicks_repeated,
         views_automated = known.views_automated + excluded.views_automated,
         clicks_automated = known.clicks_automated + excluded.clicks_automated`,
    [
      rollUps.map(({ offerId }) => offerId),
      rollUps.map(({ hour }) => hour.toISOString()),
      column('views'),
      column('clicks'),
      column('viewsRepeated'),
      column('clicksRepeated'),
      column('viewsAutomated'),
      column('clicksAutomated'),
    ],
  );
}

/** Every batch writes the sums of its offers first and those of its organisations last, each in order. */
async function addToSums(tx: Transaction, rollUps: readonly RollUp[]): Promise<void> {
  const columns = [
    rollUps.map(({ offerId }) => offerId),
    rollUps.map(({ hour }) => hour.toISOString()),
    rollUps.map(({ counts }) => counts.views),
    rollUps.map(({ counts }) => counts.clicks),
  ];
  const added = `unnest($1::integer[], $2::timestamptz[], $3::integer[], $4::integer[]) AS new (offer_id, hour, views, clicks)`;
  const addedToKnown = 'SET views = known.views + excluded.views, clicks = known.clicks + excluded.clicks';
  await tx.query(
    `INSERT INTO traffic_totals AS known (offer_id, views, clicks)
     SELECT offer_id, sum(views), sum(clicks) FROM ${added} GROUP BY offer_id ORDER BY offer_id
     ON CONFLICT (offer_id) DO UPDATE ${addedToKnown}`,
    columns,
  );
  await tx.query(
    `INSERT INTO traffic_of_organisations AS known (organisation_id, mode, hour, views, clicks)
     SELECT organisation_id, mode, hour, sum(views), sum(clicks) FROM ${added} JOIN offers USING (offer_id)
      GROUP BY organisation_id, mode, hour ORDER BY organisation_id, mode, hour
     ON CONFLICT (organisation_id, mode, hour) DO UPDATE ${addedToKnown}`,
    columns,
  );
}

/**
 * Nothing is counted before the creation or after now, so the full hours of the period hold exactly its traffic (decision 18a, forms and
 * formats).
 */
export async function sumTraffic(db: Queryable, offerId: number, period: Period): Promise<Traffic> {
  const { views, clicks } = await sumCounts(db, offerId, period);
  return { views, clicks };
}

/** The same sums over these offers, for buckets that begin at these instants, by the position of the bucket. */
export function sumTrafficFrom(
  db: Queryable,
  offerIds: readonly number[],
  period: Period,
  starts: readonly Date[],
): Promise<ReadonlyMap<number, Traffic>> {
  return sumFrom(db, 'traffic WHERE offer_id = ANY ($4::integer[])', period, starts, [offerIds]);
}

/** Of each of these offers, in whole hours from the beginning of the period on and before its end. */
export async function sumTrafficOfOffers(
  db: Queryable,
  offerIds: readonly number[],
  { from, to }: Period,
): Promise<ReadonlyMap<number, Traffic>> {
  const rows = await db.query<Traffic & { readonly offerId: number }>(
    `SELECT offer_id AS "offerId", sum(views)::float8 AS views, sum(clicks)::float8 AS clicks FROM traffic
     WHERE offer_id = ANY ($1::integer[]) AND hour >= $2 AND hour < $3 GROUP BY offer_id`,
    [offerIds, from, to],
  );
  return new Map(rows.map(({ offerId, views, clicks }) => [offerId, { views, clicks }]));
}

/** Of all offers of an organisation in a mode. */
export function sumTrafficOfOrganisation(
  db: Queryable,
  { organisationId, mode }: Owner,
  period: Period,
  starts: readonly Date[],
): Promise<ReadonlyMap<number, Traffic>> {
  const from = 'traffic_of_organisations WHERE organisation_id = $4 AND mode = $5';
  return sumFrom(db, from, period, starts, [organisationId, mode]);
}

async function sumFrom(
  db: Queryable,
  fromWhere: string,
  period: Period,
  starts: readonly Date[],
  values: readonly unknown[],
): Promise<ReadonlyMap<number, Traffic>> {
  const rows = await db.query<Traffic & { readonly bucket: number }>(
    `SELECT width_bucket(hour, $1::timestamptz[]) - 1 AS bucket, sum(views)::float8 AS views, sum(clicks)::float8 AS clicks
     FROM ${fromWhere} AND ${inPeriod} GROUP BY 1`,
    [starts.map((start) => start.toISOString()), period.from, period.to, ...values],
  );
  return new Map(rows.map(({ bucket, views, clicks }) => [bucket, { views, clicks }]));
}

const inPeriod = `hour >= date_trunc('hour', $2::timestamptz, 'UTC') AND hour <= $3`;

/** Includes the filtered traffic. Sums are doubles, which are exact far beyond any expected number. */
export async function sumCounts(db: Queryable, offerId: number, period: Period): Promise<Counts> {
  const [row] = await db.query<Counts>(
    `SELECT coalesce(sum(views), 0)::float8 AS views, coalesce(sum(clicks), 0)::float8 AS clicks,
            coalesce(sum(views_repeated), 0)::float8 AS "viewsRepeated",
            coalesce(sum(clicks_repeated), 0)::float8 AS "clicksRepeated",
            coalesce(sum(views_automated), 0)::float8 AS "viewsAutomated",
            coalesce(sum(clicks_automated), 0)::float8 AS "clicksAutomated"
     FROM traffic WHERE offer_id = $1 AND ${inPeriod}`,
    [offerId, period.from, period.to],
  );
  if (row === undefined) throw new Error('a sum has one row');
  return row;
}

export type HourOfOffer = {
  readonly offerId: number;
  readonly hour: Date;
  readonly views: number;
  readonly clicks: number;
};

/** The counted hours of these offers, oldest first. */
export async function listHours(db: Queryable, offerIds: readonly number[]): Promise<HourOfOffer[]> {
  return db.query<HourOfOffer>(
    `SELECT offer_id AS "offerId", hour, views, clicks FROM traffic
     WHERE offer_id = ANY ($1::integer[]) AND (views > 0 OR clicks > 0) ORDER BY offer_id, hour`,
    [[...offerIds]],
  );
}
