/** All SQL about self-registration of organisations. */
import type { Queryable, Transaction } from '@offer-ads/platform/postgres/postgres';
import { insertRow, onlyRow, updateRow } from '@offer-ads/platform/postgres/rows';
import type { Registration } from '../accounts/organisations-store.ts';
import {
  type AddressState,
  nextSignUp,
  signUpsPacedSince,
  signUpsWaitSince,
} from '../domain/accounts/sign-up.ts';

export type SignUpRow = Registration & { readonly id: bigint; readonly requestedAt: Date };

export type AskedSignUp = {
  readonly wish: Registration;
  /** The network prefix of the request. */
  readonly prefix: string;
  readonly at: Date;
};

/** The same statement for every address, known or not. */
export async function insertSignUp(on: Queryable, { wish, prefix, at }: AskedSignUp): Promise<void> {
  const { adminEmail: email, name, tradingName: trading_name, country, currency } = wish;
  const asked = { network: prefix, requested_at: at };
  await insertRow(on, 'sign_ups', { email, name, trading_name, country, currency, ...asked });
}

const columns = `id, email AS "adminEmail", name, trading_name AS "tradingName", country, currency,
  requested_at AS "requestedAt"`;

/**
 * Takes the next request and marks it as answered when the transaction commits. Locks, so that replicas take requests one after the other.
 */
export async function takeSignUp(tx: Transaction, at: Date): Promise<SignUpRow | null> {
  await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('sign-up pace', 0))`);
  const since = signUpsPacedSince(at);
  const answered = await tx.query<{ inHour: number; inMinute: number }>(
    `SELECT count(*)::integer AS "inHour", count(*) FILTER (WHERE answered_at > $2)::integer AS "inMinute"
     FROM sign_ups WHERE answered_at > $1`,
    [since.hour, since.minute],
  );
  const order = nextSignUp(onlyRow(answered));
  if (order === 'later') return null;
  const [row] = await tx.query<SignUpRow>(
    `UPDATE sign_ups SET answered_at = $1 WHERE id = (${order === 'fairly' ? nextFairly : oldest}) RETURNING ${columns}`,
    [at, signUpsWaitSince(at), ...(order === 'fairly' ? [since.hour] : [])],
  );
  return row ?? null;
}

const oldest = 'SELECT id FROM sign_ups WHERE answered_at IS NULL AND requested_at > $2 ORDER BY id LIMIT 1';
const nextFairly = `
  SELECT waiting.id FROM sign_ups waiting
  LEFT JOIN (
    SELECT network, count(answered_at) AS answers, count(*) AS requests FROM sign_ups WHERE requested_at > $3 GROUP BY network
  ) had ON had.network = waiting.network
  WHERE waiting.answered_at IS NULL AND waiting.requested_at > $2
  ORDER BY coalesce(had.answers, 0), coalesce(had.requests, 0), waiting.id LIMIT 1`;

/** Gives up requests that waited too long, and above `most` the latest requests of the prefixes with the most. @returns how many */
export async function giveUpWaiting(
  on: Queryable,
  o: { before: Date; most: number },
): Promise<{ tooOld: number; tooMany: number }> {
  const tooOld = await on.query(
    'DELETE FROM sign_ups WHERE answered_at IS NULL AND requested_at <= $1 RETURNING 1',
    [o.before],
  );
  const tooMany = await on.query(
    `DELETE FROM sign_ups WHERE answered_at IS NULL AND id IN (
       SELECT id FROM (
         SELECT id, row_number() OVER (PARTITION BY network ORDER BY id) AS place FROM sign_ups WHERE answered_at IS NULL
       ) waiting ORDER BY place, id OFFSET $1)
     RETURNING 1`,
    [o.most],
  );
  return { tooOld: tooOld.length, tooMany: tooMany.length };
}

export function markAnswered(on: Queryable, o: { id: bigint; at: Date }): Promise<void> {
  return updateRow(on, 'sign_ups', o.id, { answered_at: o.at });
}

/** Serialises the requests of an address over all replicas until the transaction ends. */
export async function lockAddress(tx: Transaction, address: string): Promise<void> {
  await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('sign-up ' || $1, 0))`, [address]);
}

export async function findAddressState(tx: Transaction, address: string): Promise<AddressState> {
  const rows = await tx.query<{ inForce: boolean | null }>(
    `SELECT bool_or(p.enabled AND o.enabled) AS "inForce"
     FROM people p JOIN organisations o ON o.id = p.organisation_id WHERE lower(p.email) = $1`,
    [address],
  );
  const { inForce } = onlyRow(rows);
  if (inForce === null) return 'new';
  return inForce ? 'has-place' : 'disabled';
}

/** Counts the registration links sent to the address. */
export async function countMails(tx: Transaction, o: { address: string; after: Date }): Promise<number> {
  const rows = await tx.query<{ count: number }>(
    `SELECT count(*)::integer AS count FROM sign_ups
     WHERE lower(email) = $1 AND requested_at > $2 AND token_sha256 IS NOT NULL`,
    [o.address, o.after],
  );
  return onlyRow(rows).count;
}

export function giveLink(tx: Transaction, o: { id: bigint; sha256: Buffer; expiresAt: Date }): Promise<void> {
  return updateRow(tx, 'sign_ups', o.id, { token_sha256: o.sha256, expires_at: o.expiresAt });
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

/** The organisation exists now; the address's other requests are closed. */
export async function completeSignUp(
  tx: Transaction,
  o: { id: bigint; address: string; personId: number; at: Date },
): Promise<void> {
  await updateRow(tx, 'sign_ups', o.id, { completed_at: o.at, person_id: o.personId });
  await tx.query(
    `UPDATE sign_ups SET expires_at = least(expires_at, $3)
     WHERE lower(email) = $2 AND id <> $1 AND token_sha256 IS NOT NULL AND completed_at IS NULL`,
    [o.id, o.address, o.at],
  );
}
