/** All SQL about the advertising terms and who accepted them. */
import type { Queryable, Transaction } from '@offer-ads/platform/postgres/postgres';
import { onlyRow } from '@offer-ads/platform/postgres/rows';

export type Terms = {
  readonly id: number;
  readonly version: string;
  readonly text: string;
  readonly publishedAt: Date;
  /** From when on offers cannot be created without it. Null: from its publication on. */
  readonly holdsFrom: Date | null;
};
/** A version as one organisation sees it. */
export type TermsOfOrganisation = Omit<Terms, 'text'> & {
  readonly acceptedAt: Date | null;
  /** The person's address; null if the platform team accepted for the organisation. */
  readonly acceptedBy: string | null;
};

/**
 * Whether the organisation `o` of a statement has accepted the version that holds, or a later one; false if none was published. By the
 * clock of Postgres, which all replicas share. Not `EXISTS`, for which Postgres would read the acceptances of all organisations when a
 * statement asks about some dozens of them.
 */
export const hasAcceptedTerms = `COALESCE((SELECT true FROM terms_acceptances a
  WHERE a.organisation_id = o.id
    AND a.terms_version_id >= (SELECT coalesce(max(id) FILTER (WHERE holds_from IS NULL OR holds_from <= now()), min(id)) FROM terms_versions)
  LIMIT 1), false)`;

/** From when on the organisation `o` needs the latest version, which it has not accepted; null if it does not, or needs it now. */
export const termsDueAt = `(SELECT t.holds_from FROM terms_versions t
  WHERE t.id = (SELECT max(id) FROM terms_versions) AND t.holds_from > now()
    AND NOT EXISTS (SELECT FROM terms_acceptances a WHERE a.organisation_id = o.id AND a.terms_version_id = t.id))`;

/** The version that organisations accept: the latest, even before it holds. Null if none was published. */
export async function latestTerms(on: Queryable): Promise<Terms | null> {
  const [row] = await on.query<Terms>(
    `SELECT id, version, text, published_at AS "publishedAt", holds_from AS "holdsFrom" FROM terms_versions ORDER BY id DESC LIMIT 1`,
  );
  return row ?? null;
}

/** Null if there is no such version. */
export async function textOfTerms(on: Queryable, version: string): Promise<string | null> {
  const [row] = await on.query<{ text: string }>(`SELECT text FROM terms_versions WHERE version = $1`, [
    version,
  ]);
  return row?.text ?? null;
}

/** False if that version was published before. */
export async function insertTerms(
  on: Queryable,
  o: { version: string; text: string; holdsFrom: Date | null; at: Date },
): Promise<boolean> {
  const rows = await on.query(
    `INSERT INTO terms_versions (version, text, holds_from, published_at) VALUES ($1, $2, $3, $4)
     ON CONFLICT DO NOTHING RETURNING id`,
    [o.version, o.text, o.holdsFrom, o.at],
  );
  return rows.length === 1;
}

/** Keeps the first acceptance of a version. */
export async function insertAcceptance(
  tx: Transaction,
  o: { organisationId: number; termsId: number; acceptedBy: number | null; at: Date },
): Promise<void> {
  await tx.query(
    `INSERT INTO terms_acceptances (organisation_id, terms_version_id, accepted_by, accepted_at)
     VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
    [o.organisationId, o.termsId, o.acceptedBy, o.at],
  );
}

/** Newest first. */
export async function listTerms(
  on: Queryable,
  o: { organisationId: number; limit: number },
): Promise<TermsOfOrganisation[]> {
  return on.query<TermsOfOrganisation>(
    `SELECT t.id, t.version, t.published_at AS "publishedAt", t.holds_from AS "holdsFrom", a.accepted_at AS "acceptedAt", p.email AS "acceptedBy"
     FROM terms_versions t
     LEFT JOIN terms_acceptances a ON a.terms_version_id = t.id AND a.organisation_id = $1
     LEFT JOIN people p ON p.id = a.accepted_by
     ORDER BY t.id DESC LIMIT $2`,
    [o.organisationId, o.limit],
  );
}

/** A version as the platform's staff see it. */
export type PublishedTerms = Omit<Terms, 'text'> & { readonly accepted: number };

/** Newest first, each with the number of organisations that have accepted it. */
export async function listPublished(on: Queryable, limit: number): Promise<PublishedTerms[]> {
  return on.query<PublishedTerms>(
    `SELECT t.id, t.version, t.published_at AS "publishedAt", t.holds_from AS "holdsFrom", coalesce(a.accepted, 0) AS accepted
     FROM terms_versions t
     LEFT JOIN (SELECT terms_version_id, count(*)::integer AS accepted FROM terms_acceptances
                GROUP BY terms_version_id) a ON a.terms_version_id = t.id
     ORDER BY t.id DESC LIMIT $1`,
    [limit],
  );
}

export async function findTerms(on: Queryable, id: number): Promise<Terms | null> {
  const [row] = await on.query<Terms>(
    `SELECT id, version, text, published_at AS "publishedAt", holds_from AS "holdsFrom" FROM terms_versions WHERE id = $1`,
    [id],
  );
  return row ?? null;
}

/** Enabled organisations and their enabled admins: who must accept a new version, and who can. */
export async function countAccepting(
  on: Queryable,
): Promise<{ readonly organisations: number; readonly admins: number }> {
  const rows = await on.query<{ organisations: number; admins: number }>(
    `SELECT (SELECT count(*) FROM organisations WHERE enabled)::integer AS organisations,
            (SELECT count(*) FROM people p JOIN organisations o ON o.id = p.organisation_id
             WHERE o.enabled AND p.enabled AND p.role = 'admin')::integer AS admins`,
  );
  return onlyRow(rows);
}
