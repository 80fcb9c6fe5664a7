/** Billing's projection of organisations. */
import type { OrganisationFacts } from '@offer-ads/contracts/events/gateway';
import type { Queryable } from '@offer-ads/platform/postgres/postgres';

type Organisation = Pick<
  OrganisationFacts,
  'organisationId' | 'name' | 'country' | 'currency' | 'billingDetails'
>;

/**
 * The facts with the highest version win, in whatever order the events arrive. A gateway of the release before says nothing about the
 * billing details, so its events keep them.
 */
export async function saveOrganisation(on: Queryable, facts: Organisation, version: number): Promise<void> {
  await on.query(
    `INSERT INTO organisations (organisation_id, name, country, currency, billing_details, version)
     VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (organisation_id) DO UPDATE
       SET name = excluded.name, country = excluded.country, currency = excluded.currency,
           billing_details = coalesce(excluded.billing_details, organisations.billing_details),
           version = excluded.version
     WHERE organisations.version < excluded.version`,
    [facts.organisationId, facts.name, facts.country, facts.currency, facts.billingDetails ?? null, version],
  );
}
