/** The SQL of categories and interests. */
import { CatalogueChanged } from '@offer-ads/contracts/offers-events';
import { newEvent } from '@offer-ads/platform/events';
import { addToOutbox } from '@offer-ads/platform/outbox';
import type { Postgres, Queryable } from '@offer-ads/platform/postgres';

export type Category = {
  readonly categoryId: number;
  readonly categoryName: string;
  readonly active: boolean;
  /** Null: available to every organisation. */
  readonly organisationIds: readonly number[] | null;
};
export type Interest = {
  readonly interestId: number;
  readonly interestName: string;
  readonly active: boolean;
};
export type Catalogue = { readonly categories: readonly Category[]; readonly interests: readonly Interest[] };

/** "Category": only active categories available to the organisation. */
export async function listCategories(
  db: Queryable,
  organisationId: number,
): Promise<{ category_id: number; category_name: string }[]> {
  return db.query(
    `SELECT category_id, category_name FROM categories
     WHERE active AND (organisation_ids IS NULL OR $1 = ANY (organisation_ids)) ORDER BY category_id`,
    [organisationId],
  );
}

export async function listInterests(
  db: Queryable,
): Promise<{ interest_id: number; interest_name: string }[]> {
  return db.query('SELECT interest_id, interest_name FROM interests WHERE active ORDER BY interest_id');
}

export async function readCatalogue(db: Queryable): Promise<Catalogue> {
  const categories = await db.query<{
    category_id: number;
    category_name: string;
    active: boolean;
    organisation_ids: number[] | null;
  }>('SELECT * FROM categories ORDER BY category_id');
  const interests = await db.query<{ interest_id: number; interest_name: string; active: boolean }>(
    'SELECT * FROM interests ORDER BY interest_id',
  );
  return {
    categories: categories.map((row) => ({
      categoryId: row.category_id,
      categoryName: row.category_name,
      active: row.active,
      organisationIds: row.organisation_ids,
    })),
    interests: interests.map((row) => ({
      interestId: row.interest_id,
      interestName: row.interest_name,
      active: row.active,
    })),
  };
}

/** Puts the catalogue in place of the old one. What it no longer names becomes inactive: offers still refer to it. */
export async function replaceCatalogue(
  postgres: Postgres,
  catalogue: Catalogue,
  now: Date,
): Promise<Catalogue> {
  return postgres.transaction(async (tx) => {
    const [row] = await tx.query<{ version: number }>(
      'UPDATE catalogue SET version = version + 1 RETURNING version',
    );
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
        subjectVersion: row?.version ?? 0,
        at: now,
        // The schema drops what concerns nobody else: to which organisations a category is restricted.
        data: { categories: [...whole.categories], interests: [...whole.interests] },
      }),
    ]);
    return whole;
  });
}
