/** All SQL about requests to sign in and one-time links. */
import type { SignInLinkReply } from '@offer-ads/contracts/portal/session-api';
import type { Queryable, Transaction } from '@offer-ads/platform/postgres/postgres';
import { insertRow, onlyRow, updateRow } from '@offer-ads/platform/postgres/rows';
import type { LinkPurpose, Membership } from '../domain/accounts/sign-in-link.ts';

/** More than the limits per network allow within the time of any answer. */
const maxRequestsWaiting = 10_000;

export type SignInRequest = { readonly id: bigint; readonly email: string; readonly requestedAt: Date };

/** The same statement for every address, known or not. False if too many requests wait. */
export async function insertRequest(on: Queryable, o: { email: string; at: Date }): Promise<boolean> {
  const rows = await on.query(
    `INSERT INTO sign_in_requests (email, requested_at)
     SELECT $1, $2
     WHERE NOT EXISTS (SELECT 1 FROM sign_in_requests ORDER BY id OFFSET ${maxRequestsWaiting} LIMIT 1)
     RETURNING id`,
    [o.email, o.at],
  );
  return rows.length === 1;
}

/** The oldest request that no other replica is answering. It is deleted when the transaction commits. */
export async function takeRequest(tx: Transaction): Promise<SignInRequest | null> {
  const [row] = await tx.query<SignInRequest>(
    `DELETE FROM sign_in_requests
     WHERE id = (SELECT id FROM sign_in_requests ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING id, email, requested_at AS "requestedAt"`,
  );
  return row ?? null;
}

export async function deleteRequest(on: Queryable, id: bigint): Promise<void> {
  await on.query(`DELETE FROM sign_in_requests WHERE id = $1`, [id]);
}

/**
 * Locks all people of the address, so that its links and sessions are made one after the other, and returns those who may sign in. Locks in
 * the order of ids, so that two transactions cannot deadlock.
 */
export async function lockMemberships(tx: Transaction, email: string): Promise<Membership[]> {
  const rows = await tx.query<Membership & { inForce: boolean }>(
    `SELECT p.id AS "personId", p.organisation_id AS "organisationId", p.email,
            p.last_signed_in_at AS "lastSignedInAt", p.enabled AND o.enabled AS "inForce"
     FROM people p JOIN organisations o ON o.id = p.organisation_id
     WHERE lower(p.email) = $1 ORDER BY p.id FOR NO KEY UPDATE OF p`,
    [email],
  );
  return rows.filter((row) => row.inForce);
}

export async function findPersonAt(
  on: Queryable,
  o: { email: string; organisationId: number },
): Promise<number | null> {
  const [row] = await on.query<{ id: number }>(
    `SELECT id FROM people WHERE lower(email) = $1 AND organisation_id = $2`,
    [o.email, o.organisationId],
  );
  return row?.id ?? null;
}

export async function addressOfPerson(on: Queryable, personId: number): Promise<string | null> {
  const [row] = await on.query<{ email: string }>(`SELECT lower(email) AS email FROM people WHERE id = $1`, [
    personId,
  ]);
  return row?.email ?? null;
}

export async function insertLink(
  tx: Transaction,
  o: { sha256: Buffer; personId: number; email: string; purpose: LinkPurpose; at: Date; expiresAt: Date },
): Promise<void> {
  await insertRow(tx, 'sign_in_links', {
    token_sha256: o.sha256,
    person_id: o.personId,
    email: o.email,
    purpose: o.purpose,
    issued_at: o.at,
    expires_at: o.expiresAt,
  });
}

/** Sign-in links that the address requested, including used ones. */
export async function countLinks(tx: Transaction, o: { email: string; after: Date }): Promise<number> {
  const rows = await tx.query<{ count: number }>(
    `SELECT count(*)::integer AS count FROM sign_in_links
     WHERE email = $1 AND purpose = 'sign-in' AND issued_at > $2`,
    [o.email, o.after],
  );
  return onlyRow(rows).count;
}

/** The person of a link; reading it does not use it up. */
export async function findLink(
  on: Queryable,
  sha256: Buffer,
): Promise<{ personId: number; email: string } | null> {
  const [row] = await on.query<{ personId: number; email: string }>(
    `SELECT person_id AS "personId", email FROM sign_in_links WHERE token_sha256 = $1`,
    [sha256],
  );
  return row ?? null;
}

/** Who signs in with a link that still works. */
export async function describeLink(
  on: Queryable,
  o: { sha256: Buffer; at: Date },
): Promise<SignInLinkReply | null> {
  const [row] = await on.query<SignInLinkReply>(
    `SELECT p.email, o.trading_name AS organisation
     FROM sign_in_links l JOIN people p ON p.id = l.person_id JOIN organisations o ON o.id = p.organisation_id
     WHERE l.token_sha256 = $1 AND l.used_at IS NULL AND l.expires_at > $2
       AND p.enabled AND o.enabled AND lower(p.email) = l.email`,
    [o.sha256, o.at],
  );
  return row ?? null;
}

/** False if it was used before or has expired. */
export async function useLink(tx: Transaction, o: { sha256: Buffer; at: Date }): Promise<boolean> {
  const rows = await tx.query(
    `UPDATE sign_in_links SET used_at = $2
     WHERE token_sha256 = $1 AND used_at IS NULL AND expires_at > $2 RETURNING person_id`,
    [o.sha256, o.at],
  );
  return rows.length === 1;
}

export async function useUpLinks(tx: Transaction, o: { personId: number; at: Date }): Promise<void> {
  await tx.query(`UPDATE sign_in_links SET used_at = $2 WHERE person_id = $1 AND used_at IS NULL`, [
    o.personId,
    o.at,
  ]);
}

export function noteSignIn(tx: Transaction, o: { personId: number; at: Date }): Promise<void> {
  return updateRow(tx, 'people', o.personId, { last_signed_in_at: o.at });
}
