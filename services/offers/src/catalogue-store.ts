/** The SQL of categories and interests. */
import type { Catalogue, CatalogueReplacement } from '@offer-ads/contracts/admin/offers-api';
import { CatalogueChanged } from '@offer-ads/contracts/events/offers';
import { newEvent } from '@offer-ads/platform/messaging/events';
import { addToOutbox } from '@offer-ads/platform/messaging/outbox';
import type { Postgres, Queryable } from '@offer-ads/platform/postgres/postgres';

/** Another replacement came first, so nothing was changed. */
export type CatalogueRefusal = 'catalogue-changed';
export type Replaced =
  | { readonly ok: true; readonly catalogue: Catalogue }
  | { readonly ok: false; readonly reason: CatalogueRefusal };

/** "Category": only active categories that are available to the organisation, which `parameter` names, such as `$1`. */
export function isCategoryFor(parameter: string): string {
  return `active AND (organisation_ids IS NULL OR ${parameter} = ANY (organisation_ids))`;
}

export async function listCategories(
  db: Queryable,
  organisationId: number,
): Promise<{ category_id: number; category_name: string }[]> {
  return db.query(
    `SELECT category_id, category_name FROM categories WHERE ${isCategoryFor('$1')} ORDER BY category_id`,
    [organisationId],
  );
}

/** Of all categories, also those that are not active any more. */
export async function categoryNames(db: Queryable): Promise<ReadonlyMap<number, string>> {
  const rows = await db.query<{ id: number; name: string }>(
    'SELECT category_id AS id, category_name AS name FROM categories',
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

export async function isCategoryKnown(
  db: Queryable,
  organisationId: number,
  categoryId: number,
): Promise<boolean> {
  const known = await db.query(`SELECT FROM categories WHERE category_id = $2 AND ${isCategoryFor('$1')}`, [
    organisationId,
    categoryId,
  ]);
  return known.length > 0;
}

export async function listInterests(
  db: Queryable,
): Promise<{ interest_id: number; interest_name: string }[]> {
  return db.query('SELECT interest_id, interest_name FROM interests WHERE active ORDER BY interest_id');
}

/** One statement, so that all of it has one version. */
export async function readCatalogue(db: Queryable): Promise<Catalogue> {
  const [row] = await db.query<Catalogue>(
    `SELECT version,
       ARRAY(SELECT json_build_object('categoryId', category_id, 'categoryName', category_name, 'active', active,
               'organisationIds', organisation_ids) FROM categories ORDER BY category_id) AS categories,
       ARRAY(SELECT json_build_object('interestId', interest_id, 'interestName', interest_name, 'active', active)
             FROM interests ORDER BY interest_id) AS interests
     FROM catalogue`,
  );
  if (row === undefined) throw new Error('the catalogue has no version');
  return row;
}

/**
 * Replaces the catalogue, one replacement at a time. Entries missing from the new catalogue become inactive and stay in the table, because
 * offers refer to them.
 */
export async function replaceCatalogue(
  postgres: Postgres,
  catalogue: CatalogueReplacement,
  now: Date,
): Promise<Replaced> {
  return postgres.transaction(async (tx) => {
    const replaced = await tx.query(
      'UPDATE catalogue SET version = version + 1 WHERE $1::int IS NULL OR version = $1 RETURNING version',
      [catalogue.version ?? null],
    );
    if (replaced.length === 0) return { ok: false, reason: 'catalogue-changed' };
    await tx.query('UPDATE categories SET active = false');
    await tx.query('UPDATE interests SET active = false');
    await tx.query(
      `INSERT INTO categories (category_id, category_name, active, organisation_ids)
       SELECT "categoryId", "categoryName", active, "organisationIds" FROM json_to_recordset($1::json)
         AS given ("categoryId" int, "categoryName" text, active boolean, "organisationIds" int[])
       ON CONFLICT (category_id) DO UPDATE SET category_name = excluded.category_name, active = excluded.active,
         organisation_ids = excluded.organisation_ids`,
      [JSON.stringify(catalogue.categories)],
    );
    await tx.query(
      `INSERT INTO interests (interest_id, interest_name, active)
       SELECT "interestId", "interestName", active FROM json_to_recordset($1::json)
         AS given ("interestId" int, "interestName" text, active boolean)
       ON CONFLICT (interest_id) DO UPDATE SET interest_name = excluded.interest_name, active = excluded.active`,
      [JSON.stringify(catalogue.interests)],
    );
    const whole = await readCatalogue(tx);
    await addToOutbox(tx, [
      newEvent(CatalogueChanged, {
        subject: 'catalogue',
        subjectVersion: whole.version,
        at: now,
        // The event's schema removes the organisations to which a category is restricted; other services do not need them.
        data: { categories: whole.categories, interests: whole.interests },
      }),
    ]);
    return { ok: true, catalogue: whole };
  });
}
