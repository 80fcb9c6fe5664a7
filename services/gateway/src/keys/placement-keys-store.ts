/** All SQL about placement keys: the rows of `api_keys` without an organisation. No other SQL finds them, except for the call log's. */
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { Queryable, Transaction } from '@offer-ads/platform/postgres/postgres';
import { onlyRow } from '@offer-ads/platform/postgres/rows';
import { asBytea, type KeyRecord } from './keys-store.ts';

/** A placement key as lists show it. */
export type PlacementKeyRecord = Omit<KeyRecord, 'organisationId' | 'createdBy' | 'rights'> & {
  readonly mode: Mode;
  readonly requestsPerMinute: number;
};
/** What a request with the key depends on. */
export type PlacementKeyFacts = Pick<
  PlacementKeyRecord,
  'id' | 'mode' | 'expiresAt' | 'disabledAt' | 'requestsPerMinute'
> & { readonly sha256: string };

const isPlacementKey = 'organisation_id IS NULL';
const columns = `id, mode, name, last_four AS "lastFour", created_at AS "createdAt", expires_at AS "expiresAt",
  disabled_at AS "disabledAt", last_used_at AS "lastUsedAt", rolled_from AS "rolledFrom",
  requests_per_minute AS "requestsPerMinute"`;

const factsOfPlacementKeys = {
  name: 'facts-of-placement-keys',
  sql: `SELECT id, mode, expires_at AS "expiresAt", disabled_at AS "disabledAt",
               requests_per_minute AS "requestsPerMinute", encode(sha256, 'hex') AS sha256
        FROM api_keys WHERE ${isPlacementKey} AND sha256 = ANY ($1::bytea[])`,
};

/** The facts of those keys that exist, in any order. */
export function findPlacementKeyFacts(
  on: Queryable,
  sha256s: readonly string[],
): Promise<PlacementKeyFacts[]> {
  return on.query<PlacementKeyFacts>(factsOfPlacementKeys, [sha256s.map(asBytea)]);
}

/** The latest first. */
export async function listPlacementKeys(on: Queryable, atMost: number): Promise<PlacementKeyRecord[]> {
  return on.query<PlacementKeyRecord>(
    `SELECT ${columns} FROM api_keys WHERE ${isPlacementKey} ORDER BY id DESC LIMIT $1`,
    [atMost],
  );
}

export async function lockPlacementKey(tx: Transaction, id: number): Promise<PlacementKeyRecord | null> {
  const [row] = await tx.query<PlacementKeyRecord>(
    `SELECT ${columns} FROM api_keys WHERE id = $1 AND ${isPlacementKey} FOR NO KEY UPDATE`,
    [id],
  );
  return row ?? null;
}

/** An earlier expiry stays. */
export async function expireAtLatest(
  tx: Transaction,
  o: { readonly id: number; readonly at: Date },
): Promise<void> {
  await tx.query('UPDATE api_keys SET expires_at = least(expires_at, $2) WHERE id = $1', [o.id, o.at]);
}

/** Creations wait for each other, so that their number stays bounded. */
export async function countPlacementKeysInForce(tx: Transaction, at: Date): Promise<number> {
  await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('placement-keys', 0))`);
  const rows = await tx.query<{ count: number }>(
    `SELECT count(*)::integer AS count FROM api_keys
     WHERE ${isPlacementKey} AND disabled_at IS NULL AND (expires_at IS NULL OR expires_at > $1)`,
    [at],
  );
  return onlyRow(rows).count;
}
