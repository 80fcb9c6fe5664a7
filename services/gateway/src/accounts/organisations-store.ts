/** All SQL about organisations and their quotas. */
import type { OrganisationsQuery } from '@offer-ads/contracts/admin/gateway-api';
import type { SpendingLimitsChange } from '@offer-ads/contracts/portal/organisation-api';
import type { BillingDetails } from '@offer-ads/contracts/values/billing-details';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { Queryable, Transaction } from '@offer-ads/platform/postgres/postgres';
import { insertRow, onlyRow, updateRow } from '@offer-ads/platform/postgres/rows';
import type { Approval } from '../domain/accounts/approval.ts';
import type { Organisation, Quota } from '../domain/accounts/organisation.ts';
import { insertPerson } from './people-store.ts';
import { hasAcceptedTerms, termsDueAt } from './terms-store.ts';

export type Registration = {
  readonly name: string;
  readonly tradingName: string;
  readonly country: string;
  readonly currency: string;
  readonly adminEmail: string;
};

export async function insertOrganisation(
  tx: Transaction,
  o: { registration: Registration; quota: Quota; approval: Approval | null; at: Date },
): Promise<number> {
  const { name, tradingName, country, currency, adminEmail } = o.registration;
  const columns = {
    name,
    trading_name: tradingName,
    country,
    currency,
    registered_at: o.at,
    approved_at: o.approval?.at,
    approved_by: o.approval?.by,
  };
  const { id } = await insertRow<{ id: number }>(tx, 'organisations', columns, 'id');
  await insertPerson(tx, { organisationId: id, email: adminEmail, role: 'admin', at: o.at });
  await tx.query(
    `INSERT INTO quotas (organisation_id, mode, per_person, per_organisation)
     SELECT $1, mode, $2, $3 FROM unnest(ARRAY['TEST', 'LIVE']) AS mode`,
    [id, o.quota.perPerson, o.quota.perOrganisation],
  );
  return id;
}

/** The organisation of a person who was invited but has not signed in yet; null if there is none. */
export async function findAwaiting(on: Queryable, personId: number): Promise<number | null> {
  const [row] = await on.query<{ id: number }>(
    `SELECT p.organisation_id AS id FROM people p WHERE p.id = $1 AND ${isAwaited}`,
    [personId],
  );
  return row?.id ?? null;
}

/** Locks the organisation until the transaction ends, so that its versions are sequential. False if it does not exist. */
export async function lockOrganisation(tx: Transaction, id: number): Promise<boolean> {
  const rows = await tx.query(`SELECT 1 FROM organisations WHERE id = $1 FOR NO KEY UPDATE`, [id]);
  return rows.length === 1;
}

export async function raiseVersion(tx: Transaction, id: number): Promise<void> {
  await tx.query(`UPDATE organisations SET version = version + 1 WHERE id = $1`, [id]);
}

/** Changes the columns that are named. */
export function updateOrganisation(
  tx: Transaction,
  id: number,
  columns: { readonly enabled?: boolean; readonly trading_name?: string; readonly time_zone?: string },
): Promise<void> {
  return updateRow(tx, 'organisations', id, columns);
}

/** Null: the organisation waits for approval again. */
export function setApproval(
  tx: Transaction,
  id: number,
  { approval, withdrawal }: Pick<Organisation, 'approval' | 'withdrawal'>,
): Promise<void> {
  return updateRow(tx, 'organisations', id, {
    approved_at: approval?.at,
    approved_by: approval?.by,
    withdrawn_at: withdrawal?.at,
    withdrawn_because: withdrawal?.reason,
  });
}

export function setBillingDetails(tx: Transaction, id: number, details: BillingDetails): Promise<void> {
  const { address: billing_address, vatNumber: vat_number, purchaseOrder: purchase_order } = details;
  return updateRow(tx, 'organisations', id, { billing_address, vat_number, purchase_order });
}

export async function setQuota(
  tx: Transaction,
  o: { organisationId: number; mode: Mode; quota: Quota },
): Promise<void> {
  await tx.query(
    `UPDATE quotas SET per_person = $3, per_organisation = $4 WHERE organisation_id = $1 AND mode = $2`,
    [o.organisationId, o.mode, o.quota.perPerson, o.quota.perOrganisation],
  );
}

export async function setSpendingLimits(
  tx: Transaction,
  organisationId: number,
  { role, spendingPerDayMinor, spendingPerMonthMinor }: SpendingLimitsChange,
): Promise<void> {
  await tx.query(
    `INSERT INTO spending_limits (organisation_id, role, per_day_minor, per_month_minor) VALUES ($1, $2, $3, $4)
     ON CONFLICT (organisation_id, role)
     DO UPDATE SET per_day_minor = excluded.per_day_minor, per_month_minor = excluded.per_month_minor`,
    [organisationId, role, spendingPerDayMinor, spendingPerMonthMinor],
  );
}

export async function findOrganisation(on: Queryable, id: number): Promise<Organisation | null> {
  const [row] = await on.query<OrganisationRow>(`${selectOrganisations} WHERE o.id = $1`, [id]);
  return row === undefined ? null : toOrganisation(row);
}

/** Enabled organisations that wait for approval. */
export async function countWaiting(on: Queryable): Promise<number> {
  const rows = await on.query<{ waiting: number }>(
    'SELECT count(*)::integer AS waiting FROM organisations WHERE approved_at IS NULL AND withdrawn_at IS NULL AND enabled',
  );
  return onlyRow(rows).waiting;
}

/**
 * The latest registered first. Conditions are written only where they are asked for, and each place to search in has a page of its own, so
 * that Postgres chooses for each: a rare word is found by an index, a frequent one among the latest organisations. A whole address finds
 * the people who have it; it is looked for as a part only if nobody does, because with many letters that takes longest.
 */
export async function listOrganisations(
  on: Queryable,
  { search, enabled, approved, before, limit }: OrganisationsQuery,
): Promise<Organisation[]> {
  const values: unknown[] = [limit];
  const given = (value: unknown) => `$${values.push(value)}`;
  const conditions = [
    ...(before === undefined ? [] : [`o.id < ${given(before)}::bigint`]),
    ...(enabled === undefined ? [] : [enabled ? 'o.enabled' : 'NOT o.enabled']),
    ...(approved === undefined
      ? []
      : [approved ? 'o.approved_at IS NOT NULL' : 'o.approved_at IS NULL AND o.withdrawn_at IS NULL']),
  ];
  const page = (from: string, ...found: string[]) =>
    `(SELECT DISTINCT o.id FROM ${from} WHERE ${['true', ...conditions, ...found].join(' AND ')} ORDER BY o.id DESC LIMIT $1)`;
  const pages: string[] = [];
  if (search === undefined) pages.push(page('organisations o'));
  else {
    const people = 'people p JOIN organisations o ON o.id = p.organisation_id';
    const isAddress = `lower(email) = lower(${given(search)})`;
    const nobodyHasIt = search.includes('@')
      ? [`NOT (SELECT EXISTS (SELECT FROM people WHERE ${isAddress}))`]
      : [];
    const contains = `LIKE lower(${given(`%${search.replaceAll(/[\\%_]/g, '\\$&')}%`)})`;
    if (/^[1-9]\d{0,14}$/.test(search))
      pages.push(page('organisations o', `o.id = ${given(search)}::bigint`));
    pages.push(
      page(people, isAddress),
      page('organisations o', `lower(o.name) ${contains}`, ...nobodyHasIt),
      page('organisations o', `lower(o.trading_name) ${contains}`, ...nobodyHasIt),
      page(people, `lower(p.email) ${contains}`, ...nobodyHasIt),
    );
  }
  const rows = await on.query<OrganisationRow>(
    `${selectOrganisations} WHERE o.id IN (${pages.join(' UNION ')}) ORDER BY o.id DESC LIMIT $1`,
    values,
  );
  return rows.map(toOrganisation);
}

type OrganisationRow = Omit<Organisation, 'approval' | 'withdrawal'> & {
  readonly approvedAt: Date | null;
  readonly approvedBy: string | null;
  readonly withdrawnAt: Date | null;
  readonly withdrawnBecause: string | null;
};

/** Invited by a colleague and never signed in. People invited by the platform team do not count: the team knows them. */
const isAwaited = `(p.last_signed_in_at IS NULL
  AND EXISTS (SELECT 1 FROM invitations i WHERE i.person_id = p.id AND i.sent_by IS NOT NULL))`;

const selectOrganisations = `
  SELECT o.id, o.name, o.trading_name AS "tradingName", o.country, o.currency, o.registered_at AS "registeredAt",
    o.enabled, o.approved_at AS "approvedAt", o.approved_by AS "approvedBy", o.withdrawn_at AS "withdrawnAt",
    o.withdrawn_because AS "withdrawnBecause", o.version, o.time_zone AS "timeZone",
    json_build_object('address', o.billing_address, 'vatNumber', o.vat_number,
                      'purchaseOrder', o.purchase_order) AS "billingDetails",
    coalesce((SELECT json_agg(json_strip_nulls(json_build_object(
                'id', p.id, 'email', p.email, 'role', p.role, 'enabled', p.enabled,
                'awaited', CASE WHEN ${isAwaited} THEN true END)) ORDER BY p.id)
       FROM people p WHERE p.organisation_id = o.id AND p.erased_at IS NULL), '[]') AS people,
    (SELECT json_object_agg(q.mode, json_build_object('perPerson', q.per_person,
                                                      'perOrganisation', q.per_organisation))
       FROM quotas q WHERE q.organisation_id = o.id) AS quotas,
    (SELECT json_object_agg(r.role, json_build_object('spendingPerDayMinor', s.per_day_minor::text,
                                                      'spendingPerMonthMinor', s.per_month_minor::text))
       FROM (VALUES ('admin'), ('marketer')) AS r (role)
       LEFT JOIN spending_limits s ON s.organisation_id = o.id AND s.role = r.role) AS "spendingLimits",
    ${hasAcceptedTerms} AS "termsAccepted", ${termsDueAt} AS "termsDueAt"
  FROM organisations o`;

function toOrganisation(row: OrganisationRow): Organisation {
  const { approvedAt, approvedBy, withdrawnAt, withdrawnBecause, ...facts } = row;
  const approval = approvedAt === null || approvedBy === null ? null : { at: approvedAt, by: approvedBy };
  const withdrawal =
    approval !== null || withdrawnAt === null || withdrawnBecause === null
      ? null
      : { at: withdrawnAt, reason: withdrawnBecause };
  return { ...facts, approval, withdrawal };
}
