/** Billing's projection of organisations. */
import type { OrganisationFacts } from '@offer-ads/contracts/events/gateway';
import type { Queryable } from '@offer-ads/platform/postgres/postgres';

type Organisation = Pick<OrganisationFacts, 'organisationId' | 'name' | 'country' | 'currency'>;

/** The facts with the highest version win, in whatever order the events arrive. */
export async function saveOrganisation(on: Queryable, facts: Organisation, version: number): Promise<void> {
  await on.query(
    `INSERT INTO organisations (organisation_id, name, country, currency, version)
     VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (organisation_id) DO UPDATE
       SET name = excluded.name, country = excluded.country, currency = excluded.currency,
           version = excluded.version
     WHERE organisations.version < excluded.version`,
    [facts.organisationId, facts.name, facts.country, facts.currency, version],
  );
}
