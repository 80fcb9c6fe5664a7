/** All SQL about API keys, and about the caller of a request. */
import { hash } from 'node:crypto';
import type { Role } from '@offer-ads/contracts/events/gateway';
import type { KeyRights, KeyRightsChange } from '@offer-ads/contracts/values/key-rights';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { PreparedStatement, Queryable, Transaction } from '@offer-ads/platform/postgres/postgres';
import { insertRow, onlyRow, updateRow } from '@offer-ads/platform/postgres/rows';
import { hasAcceptedTerms } from '../accounts/terms-store.ts';
import type { Caller, KeyFacts } from '../domain/keys/admission.ts';

/** All that is stored of a key, in hexadecimal digits. */
export function sha256Of(key: string): string {
  return hash('sha256', key, 'hex');
}

/** A key as lists show it. */
export type KeyRecord = {
  readonly id: number;
  readonly organisationId: number;
  /** The owner: the person who created or rolled it. */
  readonly createdBy: number;
  readonly lastFour: string;
  readonly mode: Mode | null;
  readonly name: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly disabledAt: Date | null;
  readonly lastUsedAt: Date | null;
  /** The key that this one replaced. */
  readonly rolledFrom: number | null;
  /** The key's own limit, beside that of the client IP; null if it has none. */
  readonly requestsPerMinute: number | null;
  readonly rights: KeyRights;
};
/** With its owner, for the people of the organisation. */
export type OwnedKey = KeyRecord & {
  readonly owner: {
    readonly id: number;
    readonly email: string;
    readonly role: Role;
    readonly enabled: boolean;
  };
  /** An address; null if the key is not disabled or the platform team disabled it. */
  readonly disabledBy: string | null;
};
/** A key locked for a change. */
export type LockedKey = KeyRecord & {
  readonly ownerEnabled: boolean;
  /** The first of the keys that were rolled one into the next. */
  readonly spendsAs: number;
};

/** Without organisation and person: a placement key. `spendsAs` null: itself. */
export type NewKey = Pick<
  KeyRecord,
  'lastFour' | 'mode' | 'name' | 'createdAt' | 'expiresAt' | 'rolledFrom' | 'requestsPerMinute' | 'rights'
> & {
  readonly sha256: string;
  readonly organisationId: number | null;
  readonly createdBy: number | null;
  readonly spendsAs: number | null;
};

const spendsAs = `coalesce(k.spends_as, k.id) AS "spendsAs"`;

/** What calls with a key and calls of a signed-in person have in common: the person `p`, the organisation `o`, its quota `q`. */
const callerFacts = `p.id AS "personId", p.email, o.id AS "organisationId", o.currency, o.country, o.trading_name AS "tradingName",
            o.approved_at IS NOT NULL AS "organisationApproved", o.withdrawn_at IS NOT NULL AS "approvalWithdrawn",
            CASE WHEN q.mode IS NOT NULL
                 THEN json_build_object('perPerson', q.per_person, 'perOrganisation', q.per_organisation)
            END AS quota,
            ${hasAcceptedTerms} AS "termsAccepted"`;

const factsOfKeys: PreparedStatement = {
  name: 'facts-of-keys',
  sql: `SELECT encode(k.sha256, 'hex') AS sha256, k.id AS "keyId", k.mode, k.disabled_at AS "disabledAt", k.expires_at AS "expiresAt",
            k.requests_per_minute AS "requestsPerMinute", k.rights, ${spendsAs},
            p.enabled AS "ownerEnabled", o.enabled AS "organisationEnabled", ${callerFacts}
     FROM api_keys k
     JOIN people p ON p.id = k.created_by
     JOIN organisations o ON o.id = k.organisation_id
     LEFT JOIN quotas q ON q.organisation_id = k.organisation_id AND q.mode = k.mode
     WHERE k.sha256 = ANY ($1::bytea[])`,
};

/**
 * The facts of those keys that exist, in any order. The time of the index look-up depends on how many leading bytes of two hashes are
 * equal. An attacker learns nothing useful from it: callers choose keys and not hashes, and the start of a hash does not lead to a key.
 */
export function findKeyFacts(on: Queryable, sha256s: readonly string[]): Promise<FoundKey[]> {
  return on.query<FoundKey>(factsOfKeys, [sha256s.map(asBytea)]);
}
/** A hash in hexadecimal digits as Postgres reads it. */
export function asBytea(sha256: string): string {
  return `\\x${sha256}`;
}
type FoundKey = KeyFacts & { readonly sha256: string };

export type PortalCaller = {
  readonly personId: number;
  readonly organisationId: number;
  readonly mode: Mode;
};

/**
 * The same facts of a signed-in person. Null if the person or organisation was disabled, or the person removed, since the session was
 * checked.
 */
export async function findPortalCaller(
  on: Queryable,
  o: PortalCaller,
): Promise<{ readonly caller: Caller; readonly approvalWithdrawn: boolean } | null> {
  const [row] = await on.query<Caller & { readonly approvalWithdrawn: boolean }>(
    `SELECT q.mode, NULL::integer AS "keyId", ${callerFacts},
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

export async function insertKey(on: Queryable, key: NewKey): Promise<number> {
  const columns = {
    organisation_id: key.organisationId,
    created_by: key.createdBy,
    sha256: asBytea(key.sha256),
    last_four: key.lastFour,
    mode: key.mode,
    name: key.name,
    created_at: key.createdAt,
    expires_at: key.expiresAt,
    rolled_from: key.rolledFrom,
    requests_per_minute: key.requestsPerMinute,
    rights: key.rights,
    spends_as: key.spendsAs,
  };
  return (await insertRow<{ id: number }>(on, 'api_keys', columns, 'id')).id;
}

const keyColumns = `k.id, k.organisation_id AS "organisationId", k.created_by AS "createdBy",
  k.last_four AS "lastFour", k.mode, k.name, k.created_at AS "createdAt", k.expires_at AS "expiresAt",
  k.disabled_at AS "disabledAt", k.last_used_at AS "lastUsedAt", k.rolled_from AS "rolledFrom",
  k.requests_per_minute AS "requestsPerMinute", k.rights`;

export async function organisationOfKey(on: Queryable, id: number): Promise<number | null> {
  const [row] = await on.query<{ organisationId: number }>(
    `SELECT organisation_id AS "organisationId" FROM api_keys WHERE id = $1`,
    [id],
  );
  return row?.organisationId ?? null;
}

/**
 * Locks the key until the transaction ends; the call log, which refers to keys, can still be written. A key of another organisation is
 * neither found nor locked, so nobody can delay others or learn from a delay that the key exists.
 */
export async function lockKey(
  tx: Transaction,
  o: { id: number; organisationId: number },
): Promise<LockedKey | null> {
  const [row] = await tx.query<LockedKey>(
    `SELECT ${keyColumns}, p.enabled AS "ownerEnabled", ${spendsAs}
     FROM api_keys k JOIN people p ON p.id = k.created_by
     WHERE k.id = $1 AND k.organisation_id = $2 FOR NO KEY UPDATE OF k`,
    [o.id, o.organisationId],
  );
  return row ?? null;
}

/** `by`: null for the platform team. */
export function disableKey(tx: Transaction, o: { id: number; at: Date; by: number | null }): Promise<void> {
  return updateRow(tx, 'api_keys', o.id, { disabled_at: o.at, disabled_by: o.by });
}

/** Null removes the limit. */
export function setKeyLimit(
  tx: Transaction,
  o: { id: number; requestsPerMinute: number | null },
): Promise<void> {
  return updateRow(tx, 'api_keys', o.id, { requests_per_minute: o.requestsPerMinute });
}

/** What is left out stays. */
export async function changeRights(
  tx: Transaction,
  o: { id: number; changed: KeyRightsChange },
): Promise<KeyRights> {
  const rows = await tx.query<{ rights: KeyRights }>(
    `UPDATE api_keys SET rights = rights || $2::jsonb WHERE id = $1 RETURNING rights`,
    [o.id, JSON.stringify(o.changed)],
  );
  return onlyRow(rows).rights;
}

/** `isInForce` in SQL, for the key `k` at the time in the given parameter. */
export const inForceAt = (parameter: `$${number}`) =>
  `(k.disabled_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > ${parameter}))`;

export async function countKeysInForce(
  tx: Transaction,
  o: { organisationId: number; mode: Mode | null; at: Date },
): Promise<number> {
  const rows = await tx.query<{ count: number }>(
    `SELECT count(*)::integer AS count FROM api_keys k
     WHERE k.organisation_id = $1 AND k.mode IS NOT DISTINCT FROM $2 AND ${inForceAt('$3')}`,
    [o.organisationId, o.mode, o.at],
  );
  return onlyRow(rows).count;
}

export async function listKeys(on: Queryable, organisationId: number): Promise<KeyRecord[]> {
  return on.query<KeyRecord>(
    `SELECT ${keyColumns} FROM api_keys k WHERE k.organisation_id = $1 ORDER BY k.id`,
    [organisationId],
  );
}

/** Valid keys first, then the others, each newest first. Keys beyond the limit have been invalid for a long time. */
export async function listOwnedKeys(
  on: Queryable,
  o: { organisationId: number; at: Date; limit: number },
): Promise<OwnedKey[]> {
  return on.query<OwnedKey>(
    `SELECT ${keyColumns}, disabler.email AS "disabledBy",
            json_build_object('id', p.id, 'email', p.email, 'role', p.role, 'enabled', p.enabled) AS owner
     FROM api_keys k
     JOIN people p ON p.id = k.created_by
     LEFT JOIN people disabler ON disabler.id = k.disabled_by
     WHERE k.organisation_id = $1
     ORDER BY ${inForceAt('$2')} DESC, k.id DESC
     LIMIT $3`,
    [o.organisationId, o.at, o.limit],
  );
}
