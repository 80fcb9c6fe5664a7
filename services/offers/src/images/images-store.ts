/**
 * The SQL of pictures: which exist, and which are no longer needed. A picture is needed by its offers, reservations included, until some
 * time after they are deleted. A creation that has not reserved its offer yet has an hour (`storeImage`). A retired picture is never used
 * again: a reservation and an edit lock the picture's row (`reserveOffer`, `replaceImage`), and retiring one locks the row before it
 * checks the need.
 */
import { DAY_MS } from '@offer-ads/contracts/values/durations';
import type {
  Postgres,
  PreparedStatement,
  Queryable,
  Transaction,
} from '@offer-ads/platform/postgres/postgres';
import type { Offer } from '../domain/offer.ts';
import { findOffers, type OfferRow, toOffer } from '../offers-store.ts';
import { extensions } from './images.ts';

const MINUTE_MS = 60_000;

/** Many times longer than a creation may run and wait before it is dropped. */
const UNTOUCHED_MS = 60 * MINUTE_MS;
/**
 * A picture stays this long after its offers are deleted, as long as events are known (inbox): a service that learns of the deletion late
 * still shows it.
 */
const RETAINED_MS = 30 * DAY_MS;
/** How often a picture of an unfinished creation is checked. */
const RESERVED_MS = DAY_MS;
/** When the removal of a retired picture is tried again, by any replica. */
const RETRY_MS = 10 * MINUTE_MS;

/**
 * Two usual cases change and lock no row that others wait for: a new picture, and one that was stored just now. The commit does not wait for
 * the disk: the commit of the reservation that needs the picture does, and so makes this one durable too. After a crash of the database
 * in between, a picture that no offer has may stay in the store without a row.
 */
const recordStatement: PreparedStatement = {
  name: 'record-image',
  sql: `WITH known AS MATERIALIZED (
          SELECT name FROM images WHERE content = $2 AND retired_at IS NULL AND look_at > $4
        ), recorded AS (
          INSERT INTO images (name, content, look_at) SELECT $1, $2, $3 WHERE NOT EXISTS (SELECT FROM known)
          ON CONFLICT (content) WHERE retired_at IS NULL DO UPDATE SET look_at = EXCLUDED.look_at RETURNING name
        )
        SELECT name, set_config('synchronous_commit', 'off', true)
          FROM (SELECT name FROM known UNION ALL SELECT name FROM recorded) AS either`,
};

/** Returns the name of the same picture if it exists, otherwise the proposed one. It is not retired within the next half hour. */
export async function recordImage(
  db: Queryable,
  o: { content: string; proposed: string; now: Date },
): Promise<string> {
  const [recorded] = await db.query<{ name: string }>(recordStatement, [
    o.proposed,
    o.content,
    after(o.now, UNTOUCHED_MS),
    after(o.now, UNTOUCHED_MS / 2),
  ]);
  if (recorded === undefined) throw new Error('the insert returned no row');
  return recorded.name;
}

/**
 * Checks pictures that are due and retires those that are not needed. A picture of an offer that is shown is due again when an offer with it
 * is deleted (trigger `look_at_image`).
 * @returns how many were checked, and which are to be removed: the retired ones, and those of earlier failed removals
 */
export async function retireUnneeded(
  postgres: Postgres,
  o: { now: Date; atMost: number },
): Promise<{ looked: number; retired: readonly string[] }> {
  return postgres.transaction(async (tx) => {
    const due = await tx.query<{ name: string }>(
      `SELECT name FROM images WHERE look_at <= $1 AND look_at < 'infinity' ORDER BY look_at LIMIT $2 FOR UPDATE SKIP LOCKED`,
      [o.now, o.atMost],
    );
    // A separate statement, so that it sees what other transactions committed while this one waited for the lock.
    const looked = await tx.query<{ name: string; is_needed: boolean }>(
      `WITH due AS MATERIALIZED (
         SELECT name, CASE
             WHEN EXISTS (SELECT FROM offers WHERE image = name AND deleted_at IS NULL AND shown_at IS NOT NULL) THEN 'infinity'
             WHEN EXISTS (SELECT FROM offers WHERE image = name AND deleted_at IS NULL) THEN $3::timestamptz
             -- A TEST offer that was deleted at an instant to come, by its test clock, needs it no longer.
             ELSE (SELECT max(deleted_at) FROM offers WHERE image = name AND (mode = 'LIVE' OR deleted_at <= $2))
               + $4 * interval '1 ms' END AS needed_until
           FROM unnest($1::text[]) AS due (name)
       )
       UPDATE images
          SET look_at = CASE WHEN needed_until > $2 THEN needed_until ELSE $5 END,
              retired_at = CASE WHEN needed_until > $2 THEN retired_at ELSE coalesce(retired_at, $2) END
         FROM due WHERE images.name = due.name
       RETURNING due.name, coalesce(needed_until > $2, false) AS is_needed`,
      [namesOf(due), o.now, after(o.now, RESERVED_MS), RETAINED_MS, after(o.now, RETRY_MS)],
    );
    return { looked: due.length, retired: namesOf(looked.filter(({ is_needed }) => !is_needed)) };
  });
}

/**
 * The picture of an offer is to be that of another offer too.
 * @returns false if it was retired. Otherwise it is not retired within the next half hour
 */
export async function keepImage(db: Queryable, name: string, now: Date): Promise<boolean> {
  const kept = await db.query(
    `WITH postponed AS (
       UPDATE images SET look_at = $2 WHERE name = $1 AND retired_at IS NULL AND look_at <= $3 RETURNING name
     )
     SELECT FROM postponed UNION ALL SELECT FROM images WHERE name = $1 AND retired_at IS NULL AND look_at > $3`,
    [name, after(now, UNTOUCHED_MS), after(now, UNTOUCHED_MS / 2)],
  );
  return kept.length > 0;
}

/**
 * Offers get another picture. The old ones are looked at after a month, like that of a deleted offer: pages and services that learn of the
 * edit late still show them. Locks all rows in one order, so that two edits that exchange pictures do not wait for each other.
 * @returns false if the new one was retired, because its edit took longer than `storeImage` grants
 */
export async function replaceImage(
  tx: Transaction,
  o: { readonly from: readonly string[]; readonly to: string; readonly now: Date },
): Promise<boolean> {
  const kept = await tx.query<{ name: string }>(
    'SELECT name FROM images WHERE name = ANY ($1) AND retired_at IS NULL ORDER BY name FOR NO KEY UPDATE',
    [[...o.from, o.to]],
  );
  if (!namesOf(kept).includes(o.to)) return false;
  await tx.query('UPDATE images SET look_at = $2 WHERE name = ANY ($1) AND retired_at IS NULL', [
    o.from,
    after(o.now, RETAINED_MS),
  ]);
  return true;
}

/** Called after the pictures were removed from the store. */
export async function forgetRetired(db: Queryable, names: readonly string[]): Promise<void> {
  await db.query('DELETE FROM images WHERE name = ANY ($1) AND retired_at IS NOT NULL', [names]);
}

/** The id of this database, under which its pictures lie. It is made at the first start, and never changes. */
export async function databaseId(db: Queryable): Promise<string> {
  await db.query('INSERT INTO image_store DEFAULT VALUES ON CONFLICT DO NOTHING');
  const [row] = await db.query<{ id: string }>('SELECT database_id AS id FROM image_store');
  if (row === undefined) throw new Error('the id of the database is not there though it was inserted');
  return row.id;
}

/** A person does not look at more than this one by one. */
const MAX_SHOWING = 50;

/** The name of the picture with this hash; null if there is none. */
export async function findImage(db: Queryable, hash: string): Promise<string | null> {
  const [known] = await db.query<{ name: string }>(
    'SELECT name FROM images WHERE content = ANY ($1) AND retired_at IS NULL',
    [contentsOf(hash)],
  );
  return known?.name ?? null;
}

/** Offers of any organisation that show it, the latest created first. */
export async function listShowing(db: Queryable, hash: string): Promise<readonly Offer[]> {
  const rows = await db.query<OfferRow>(
    `SELECT offers.* FROM images JOIN offers ON offers.image = images.name
     WHERE images.content = ANY ($1) AND retired_at IS NULL AND deleted_at IS NULL AND shown_at IS NOT NULL
     ORDER BY created_at DESC, offer_id DESC LIMIT $2`,
    [contentsOf(hash), MAX_SHOWING],
  );
  return rows.map(toOffer);
}

/** An offer of any organisation that needs the picture; null if there is none. */
export async function findNeeding(db: Queryable, name: string): Promise<Offer | null> {
  const needing = 'image = $1 AND deleted_at IS NULL AND shown_at IS NOT NULL LIMIT 1';
  const [offer] = await findOffers(db, needing, [name]);
  return offer ?? null;
}

/** The possible contents, one per picture type. */
function contentsOf(hash: string): string[] {
  return Object.values(extensions).map((extension) => `${hash}.${extension}`);
}

function namesOf(rows: readonly { readonly name: string }[]): string[] {
  return rows.map(({ name }) => name);
}

function after(now: Date, ms: number): Date {
  return new Date(now.getTime() + ms);
}
