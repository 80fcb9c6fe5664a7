/** All SQL about people who register an organisation by themselves. */
import type { Queryable, Transaction } from '@offer-ads/platform/postgres';
import type { Registration } from '../accounts/organisations-store.ts';
import type { AddressStanding } from '../domain/sign-up.ts';

export type SignUpRow = Registration & { readonly id: bigint; readonly requestedAt: Date };

/** The same statement for every address, known or not. False when too many were asked for lately, by whomever. */
export async function insertSignUp(
  on: Queryable,
  o: { wish: Registration; at: Date; after: Date; most: number },
): Promise<boolean> {
  const { adminEmail, name, tradingName, country, currency } = o.wish;
  const rows = await on.query(
    `INSERT INTO sign_ups (email, name, trading_name, country, currency, requested_at)
     SELECT $1, $2, $3, $4, $5, $6
     WHERE NOT EXISTS (SELECT 1 FROM sign_ups WHERE requested_at > $7 OFFSET $8 LIMIT 1)
     RETURNING id`,
    [adminEmail, name, tradingName, country, currency, o.at, o.after, o.most - 1],
  );
  return rows.length === 1;
}

const columns = `id, email AS "adminEmail", name, trading_name AS "tradingName", country, currency,
  requested_at AS "requestedAt"`;

/** The oldest that no other replica is answering, marked as answered: it is so once the transaction commits. */
export async function takeSignUp(tx: Transaction, at: Date): Promise<SignUpRow | null> {
  const [row] = await tx.query<SignUpRow>(
    `UPDATE sign_ups SET answered_at = $1
     WHERE id = (SELECT id FROM sign_ups WHERE answered_at IS NULL ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING ${columns}`,
    [at],
  );
  return row ?? null;
}

export async function markAnswered(on: Queryable, o: { id: bigint; at: Date }): Promise<void> {
  await on.query('UPDATE sign_ups SET answered_at = $2 WHERE id = $1', [o.id, o.at]);
}

/** One after the other for an address, over replicas: until the transaction ends. */
export async function lockAddress(tx: Transaction, address: string): Promise<void> {
  await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('sign-up ' || $1, 0))`, [address]);
}

export async function standingOf(tx: Transaction, address: string): Promise<AddressStanding> {
  const [row] = await tx.query<{ inForce: boolean | null }>(
    `SELECT bool_or(p.enabled AND o.enabled) AS "inForce"
     FROM people p JOIN organisations o ON o.id = p.organisation_id WHERE lower(p.email) = $1`,
    [address],
  );
  if (row === undefined || row.inForce === null) return 'new';
  return row.inForce ? 'has-place' : 'disabled';
}

/** Of links that were sent to the address, to register. */
export async function countMails(tx: Transaction, o: { address: string; after: Date }): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `SELECT count(*)::integer AS count FROM sign_ups
     WHERE lower(email) = $1 AND requested_at > $2 AND token_sha256 IS NOT NULL`,
    [o.address, o.after],
  );
  return row?.count ?? 0;
}

export async function giveLink(
  tx: Transaction,
  o: { id: bigint; sha256: Buffer; expiresAt: Date },
): Promise<void> {
  await tx.query('UPDATE sign_ups SET token_sha256 = $2, expires_at = $3 WHERE id = $1', [
    o.id,
    o.sha256,
    o.expiresAt,
  ]);
}

export type LinkedSignUp = SignUpRow & {
  readonly expiresAt: Date;
  readonly completedAt: Date | null;
  readonly personId: number | null;
};

export async function findByToken(on: Queryable, sha256: Buffer): Promise<LinkedSignUp | null> {
  const [row] = await on.query<LinkedSignUp>(
    `SELECT ${columns}, expires_at AS "expiresAt", completed_at AS "completedAt", person_id AS "personId"
     FROM sign_ups WHERE token_sha256 = $1`,
    [sha256],
  );
  return row ?? null;
}

/** Its organisation is there; what else the address asked for is worth nothing any more. */
export async function completeSignUp(
  tx: Transaction,
  o: { id: bigint; address: string; personId: number; at: Date },
): Promise<void> {
  await tx.query('UPDATE sign_ups SET completed_at = $2, person_id = $3 WHERE id = $1', [
    o.id,
    o.at,
    o.personId,
  ]);
  await tx.query(
    `UPDATE sign_ups SET expires_at = least(expires_at, $3)
     WHERE lower(email) = $2 AND id <> $1 AND token_sha256 IS NOT NULL AND completed_at IS NULL`,
    [o.id, o.address, o.at],
  );
}

export async function deleteOldSignUps(on: Queryable, o: { before: Date; limit: number }): Promise<number> {
  const rows = await on.query(
    `DELETE FROM sign_ups WHERE id IN (
       SELECT id FROM sign_ups WHERE requested_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED)
     RETURNING 1`,
    [o.before, o.limit],
  );
  return rows.length;
}
