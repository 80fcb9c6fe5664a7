/** All SQL about API keys. */
import type { Mode } from '@offer-ads/contracts/primitives';
import type { Queryable, Transaction } from '@offer-ads/platform/postgres';
import type { KeyFacts } from './domain/admission.ts';

/** A key as lists show it. */
export type KeyRecord = {
  readonly id: number;
  readonly organisationId: number;
  readonly createdBy: number;
  readonly lastFour: string;
  readonly mode: Mode | null;
  readonly name: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly disabledAt: Date | null;
  readonly lastUsedAt: Date | null;
};

export type NewKey = Pick<
  KeyRecord,
  'organisationId' | 'createdBy' | 'lastFour' | 'mode' | 'name' | 'createdAt' | 'expiresAt'
> & { readonly sha256: Buffer };

/** One statement, because it runs before every request that no cache answers. */
export async function findKeyFacts(on: Queryable, sha256: Buffer): Promise<KeyFacts | null> {
  const [row] = await on.query<KeyFacts>(
    `SELECT k.id AS "keyId", k.mode, k.disabled_at IS NOT NULL AS disabled, k.expires_at AS "expiresAt",
            p.id AS "personId", p.enabled AS "personEnabled",
            o.id AS "organisationId", o.enabled AS "organisationEnabled", o.currency, o.country,
            o.trading_name AS "tradingName",
            CASE WHEN q.mode IS NOT NULL
                 THEN json_build_object('perPerson', q.per_person, 'perOrganisation', q.per_organisation)
            END AS quota,
            EXISTS (SELECT 1 FROM terms_acceptances a
                    WHERE a.organisation_id = o.id
                      AND a.terms_version_id = (SELECT max(id) FROM terms_versions)) AS "termsAccepted"
     FROM api_keys k
     JOIN people p ON p.id = k.created_by
     JOIN organisations o ON o.id = k.organisation_id
     LEFT JOIN quotas q ON q.organisation_id = k.organisation_id AND q.mode = k.mode
     WHERE k.sha256 = $1`,
    [sha256],
  );
  return row ?? null;
}

export async function insertKey(on: Queryable, key: NewKey): Promise<number> {
  const [row] = await on.query<{ id: number }>(
    `INSERT INTO api_keys (organisation_id, created_by, sha256, last_four, mode, name, created_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id`,
    [
      key.organisationId,
      key.createdBy,
      key.sha256,
      key.lastFour,
      key.mode,
      key.name,
      key.createdAt,
      key.expiresAt,
    ],
  );
  if (row === undefined) throw new Error('INSERT returned no id');
  return row.id;
}

const keyColumns = `id, organisation_id AS "organisationId", created_by AS "createdBy", last_four AS "lastFour",
  mode, name, created_at AS "createdAt", expires_at AS "expiresAt", disabled_at AS "disabledAt",
  last_used_at AS "lastUsedAt"`;

/** Locks the key until the transaction ends; the call log, which refers to keys, goes on meanwhile. */
export async function lockKey(tx: Transaction, id: number): Promise<KeyRecord | null> {
  const [row] = await tx.query<KeyRecord>(
    `SELECT ${keyColumns} FROM api_keys WHERE id = $1 FOR NO KEY UPDATE`,
    [id],
  );
  return row ?? null;
}

export async function disableKey(tx: Transaction, o: { id: number; at: Date }): Promise<void> {
  await tx.query(`UPDATE api_keys SET disabled_at = $2 WHERE id = $1`, [o.id, o.at]);
}

export async function listKeys(on: Queryable, organisationId: number): Promise<KeyRecord[]> {
  return on.query<KeyRecord>(`SELECT ${keyColumns} FROM api_keys WHERE organisation_id = $1 ORDER BY id`, [
    organisationId,
  ]);
}
