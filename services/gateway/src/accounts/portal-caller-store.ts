/** The SQL for the caller context of a signed-in person. */
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { Queryable } from '@offer-ads/platform/postgres/postgres';
import type { Caller } from '../domain/keys/admission.ts';
import { hasAcceptedTerms } from './terms-store.ts';

export type PortalCaller = {
  readonly personId: number;
  readonly organisationId: number;
  readonly mode: Mode;
};

/**
 * The same facts as for a key of the person and mode. Null if the person or organisation was disabled, or the person removed, since the
 * session was checked.
 */
export async function findPortalCaller(
  on: Queryable,
  o: PortalCaller,
): Promise<{ readonly caller: Caller; readonly approvalWithdrawn: boolean } | null> {
  const [row] = await on.query<Caller & { readonly approvalWithdrawn: boolean }>(
    `SELECT o.id AS "organisationId", q.mode, p.id AS "personId", NULL::integer AS "keyId", p.email,
            o.currency, o.country, o.trading_name AS "tradingName",
            o.approved_at IS NOT NULL AS "organisationApproved",
            o.withdrawn_at IS NOT NULL AS "approvalWithdrawn",
            json_build_object('perPerson', q.per_person, 'perOrganisation', q.per_organisation) AS quota,
            ${hasAcceptedTerms} AS "termsAccepted",
            json_build_object('spender', 'person/' || p.id, 'access', 'full',
                              'perDayMinor', s.per_day_minor::text, 'perMonthMinor', s.per_month_minor::text) AS spending
     FROM people p
     JOIN organisations o ON o.id = p.organisation_id
     JOIN quotas q ON q.organisation_id = o.id AND q.mode = $3
     LEFT JOIN spending_limits s ON s.organisation_id = o.id AND s.role = p.role
     WHERE p.id = $1 AND o.id = $2 AND p.enabled AND o.enabled`,
    [o.personId, o.organisationId, o.mode],
  );
  if (row === undefined) return null;
  const { approvalWithdrawn, ...caller } = row;
  return { caller, approvalWithdrawn };
}
