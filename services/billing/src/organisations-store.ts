/** Billing's projection of organisations. */
import type { Transaction } from '@offer-ads/platform/postgres/postgres';

export type Organisation = {
  readonly organisationId: number;
  readonly name: string;
  readonly country: string;
  readonly currency: string;
};

/** The facts with the highest version win, in whatever order the events arrive. */
export async function saveOrganisation(tx: Transaction, facts: Organisation, version: number): Promise<void> {
  await tx.query(
    `INSERT INTO organisations (organisation_id, name, country, currency, version)
     VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (organisation_id) DO UPDATE
       SET name = excluded.name, country = excluded.country, currency = excluded.currency,
           version = excluded.version
     WHERE organisations.version < excluded.version`,
    [facts.organisationId, facts.name, facts.country, facts.currency, version],
  );
}
