/** The SQL of what viewers were shown today, and of the shares of offers. */
import type { PreparedStatement, Queryable } from '@offer-ads/platform/postgres/postgres';

/** A viewer on one day. The key is derived from the pseudonym and valid on this day only. */
export type ViewerDay = { readonly day: string; readonly key: string };
/** How often each offer was shown, by its id. */
export type Showings = ReadonlyMap<number, number>;
/** What offers got in one hour. */
export type Share = { matched: number; fairShare: number; shown: number };

const shownToday: PreparedStatement = {
  name: 'shown-to-viewer',
  sql: 'SELECT shown FROM placement_viewers WHERE day = $1::date AND viewer = $2::bigint',
};

export async function readShowings(on: Queryable, { day, key }: ViewerDay): Promise<Showings> {
  const [row] = await on.query<{ shown: Record<string, number> }>(shownToday, [day, key]);
  return new Map(Object.entries(row?.shown ?? {}).map(([offerId, times]) => [Number(offerId), times]));
}

/** Adds to what was shown. Sorted, so that batches of several replicas never deadlock. */
export async function addShowings(
  on: Queryable,
  viewers: readonly (ViewerDay & { readonly added: Showings })[],
): Promise<void> {
  await on.query(
    `INSERT INTO placement_viewers (day, viewer, shown)
     SELECT day, viewer, shown::jsonb FROM unnest($1::date[], $2::bigint[], $3::text[]) AS new (day, viewer, shown) ORDER BY day, viewer
     ON CONFLICT (day, viewer) DO UPDATE SET shown = add_counts(placement_viewers.shown, excluded.shown)`,
    [
      viewers.map(({ day }) => day),
      viewers.map(({ key }) => key),
      viewers.map(({ added }) => JSON.stringify(Object.fromEntries(added))),
    ],
  );
}

export async function addShares(on: Queryable, hour: Date, added: ReadonlyMap<number, Share>): Promise<void> {
  const shares = [...added];
  await on.query(
    `INSERT INTO placement_shares (offer_id, hour, matched, fair_share, shown)
     SELECT offer_id, $1, matched, fair_share, shown
     FROM unnest($2::integer[], $3::integer[], $4::real[], $5::integer[]) AS new (offer_id, matched, fair_share, shown)
     ORDER BY offer_id
     ON CONFLICT (offer_id, hour) DO UPDATE SET matched = placement_shares.matched + excluded.matched,
       fair_share = placement_shares.fair_share + excluded.fair_share, shown = placement_shares.shown + excluded.shown`,
    [
      hour,
      shares.map(([offerId]) => offerId),
      shares.map(([, { matched }]) => matched),
      shares.map(([, { fairShare }]) => fairShare),
      shares.map(([, { shown }]) => shown),
    ],
  );
}
