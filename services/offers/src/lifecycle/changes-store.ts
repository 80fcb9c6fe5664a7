/** The SQL of who changed an offer. Every change by a person, a key or the staff is written in its own transaction. */
import type { OfferChange } from '@offer-ads/contracts/portal/offers-api';
import type { ChangeOfOffer } from '@offer-ads/contracts/public/api';
import type { Queryable, Transaction } from '@offer-ads/platform/postgres/postgres';

/** The caller of a request, or the staff of the platform, who are never named. */
export type Author = { readonly personId: number | null; readonly keyId: number | null } | 'staff';

export async function noteChange(
  tx: Transaction,
  offerId: number,
  change: {
    readonly what: Exclude<ChangeOfOffer, 'created' | 'extended'>;
    readonly by: Author;
    /** The time of the offer. */
    readonly at: Date;
    readonly fields?: readonly string[];
  },
): Promise<void> {
  const { what, by, at, fields = [] } = change;
  const { personId, keyId } = by === 'staff' ? { personId: null, keyId: null } : by;
  await tx.query(
    `INSERT INTO offer_changes (offer_id, what, changed_at, person_id, key_id, fields) VALUES ($1, $2, $3, $4, $5, $6)`,
    [offerId, what, at, personId, keyId, fields],
  );
}

/**
 * For the statement of a reservation: its creation, and that it extends the offer whose picture it has if it begins when that ends.
 * @param reserved has the new offer
 */
export const creationNoted = (
  reserved: string,
  o: { imageOfferIds: string; personId: string; keyId: string },
) =>
  `INSERT INTO offer_changes (offer_id, what, changed_at, person_id, key_id, following_id)
   SELECT offer_id, 'created', created_at, ${o.personId}::integer, ${o.keyId}::integer, NULL FROM ${reserved}
   UNION ALL
   SELECT earlier.offer_id, 'extended', reserved.created_at, ${o.personId}, ${o.keyId}, reserved.offer_id
     FROM ${reserved} JOIN offers AS earlier ON earlier.offer_id = ANY (${o.imageOfferIds}::integer[]) AND earlier.image = reserved.image
      AND earlier.organisation_id = reserved.organisation_id AND earlier.mode = reserved.mode
      AND earlier.expiry_at = reserved.start_at AND earlier.latitude = reserved.latitude AND earlier.longitude = reserved.longitude`;

/** Those of the offers that another offer extends, paid or not. */
export async function findExtended(
  db: Queryable,
  offers: readonly { readonly offerId: number }[],
): Promise<ReadonlySet<number>> {
  const rows = await db.query<{ offer_id: number }>(
    `SELECT change.offer_id FROM offer_changes AS change JOIN offers AS following ON following.offer_id = following_id
      WHERE change.offer_id = ANY ($1::integer[]) AND following.shown_at IS NOT NULL AND following.deleted_at IS NULL`,
    [offers.map(({ offerId }) => offerId)],
  );
  return new Set(rows.map(({ offer_id: offerId }) => offerId));
}

type ChangeRow = {
  readonly change_id: string;
  readonly what: ChangeOfOffer;
  readonly changed_at: Date;
  readonly person_id: number | null;
  readonly key_id: number | null;
  readonly fields: readonly string[];
  readonly following_id: number | null;
};

/**
 * Newest first. A deletion is noted when it begins, because the process that ends it may not know who began it; so those that failed are left
 * out here. The caller has checked whose the offer is.
 */
export async function listChanges(
  db: Queryable,
  offerId: number,
  { before, limit }: { readonly before: number | null; readonly limit: number },
): Promise<{ readonly changes: readonly OfferChange[]; readonly next: number | null }> {
  const rows = await db.query<ChangeRow>(
    `SELECT change_id::text, what, changed_at, person_id, key_id, fields, following_id FROM offer_changes AS change
      WHERE offer_id = $1 AND ($2::bigint IS NULL OR change_id < $2)
        AND (what <> 'deleted' OR change_id = (
          SELECT max(last.change_id) FROM offer_changes AS last JOIN offers USING (offer_id)
           WHERE last.offer_id = $1 AND last.what = 'deleted' AND deleted_at IS NOT NULL))
        AND (following_id IS NULL OR EXISTS (
          SELECT FROM offers WHERE offers.offer_id = change.following_id AND shown_at IS NOT NULL))
      ORDER BY change.change_id DESC LIMIT $3`,
    [offerId, before, limit + 1],
  );
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return {
    changes: page.map((row) => ({
      change_id: Number(row.change_id),
      what: row.what,
      changed_datetime: row.changed_at.toISOString(),
      by: authorOf(row),
      fields: [...row.fields],
      following_offer_id: row.following_id,
    })),
    next: last === undefined ? null : Number(last.change_id),
  };
}

function authorOf({ person_id: personId, key_id: keyId }: ChangeRow): OfferChange['by'] {
  if (keyId !== null) return { kind: 'api_key', key_id: keyId };
  return personId === null ? { kind: 'staff' } : { kind: 'person', person_id: personId };
}
