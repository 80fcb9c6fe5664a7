/** All SQL about portal sessions. */
import { randomUUID } from 'node:crypto';
import type { Role } from '@offer-ads/contracts/events/gateway';
import type { Queryable, Transaction } from '@offer-ads/platform/postgres/postgres';
import { insertRow } from '@offer-ads/platform/postgres/rows';
import { maxSessions, type SessionState, type ShownToken } from '../domain/accounts/session.ts';

export type FoundSession = SessionState & {
  readonly id: string;
  readonly shown: ShownToken;
  /** Set while the present token is not confirmed. */
  readonly rotationSalt: Buffer | null;
  readonly csrfToken: string;
  /** The proven address. */
  readonly address: string;
  readonly personId: number;
  readonly email: string;
  readonly role: Role;
  readonly organisationId: number;
};

/** By the present or the previous token; with the current state of person and organisation. */
export async function findSession(on: Queryable, sha256: Buffer): Promise<FoundSession | null> {
  const [row] = await on.query<FoundSession>(
    `SELECT s.id, CASE WHEN s.token_sha256 = $1 THEN 'present' ELSE 'previous' END AS shown,
            s.rotation_salt AS "rotationSalt", s.csrf_token AS "csrfToken", s.email AS address,
            s.rotated_at AS "rotatedAt", s.confirmed_at AS "confirmedAt", s.last_used_at AS "lastUsedAt",
            s.expires_at AS "expiresAt",
            p.id AS "personId", p.email, p.role, p.organisation_id AS "organisationId",
            p.enabled AND o.enabled AND lower(p.email) = s.email AS "memberInForce"
     FROM portal_sessions s
     JOIN people p ON p.id = s.person_id
     JOIN organisations o ON o.id = p.organisation_id
     WHERE s.token_sha256 = $1 OR s.previous_sha256 = $1`,
    [sha256],
  );
  return row ?? null;
}

export async function insertSession(
  tx: Transaction,
  o: { personId: number; address: string; sha256: Buffer; csrfToken: string; at: Date; expiresAt: Date },
): Promise<void> {
  await insertRow(tx, 'portal_sessions', {
    id: randomUUID(),
    person_id: o.personId,
    email: o.address,
    token_sha256: o.sha256,
    csrf_token: o.csrfToken,
    rotated_at: o.at,
    confirmed_at: o.at,
    created_at: o.at,
    last_used_at: o.at,
    expires_at: o.expiresAt,
  });
}

/** Call it under the lock of the address's memberships, otherwise two concurrent sign-ins may leave one session too many. */
export async function endSessionsBeyondMost(tx: Transaction, address: string): Promise<void> {
  await tx.query(
    `DELETE FROM portal_sessions WHERE id IN (
       SELECT id FROM portal_sessions WHERE email = $1
       ORDER BY last_used_at DESC, created_at DESC OFFSET ${maxSessions})`,
    [address],
  );
}

export async function noteUse(on: Queryable, o: { id: string; at: Date }): Promise<void> {
  await on.query(`UPDATE portal_sessions SET last_used_at = $2 WHERE id = $1 AND last_used_at < $2`, [
    o.id,
    o.at,
  ]);
}

/** The browser has the new token, so it cannot be requested again. */
export async function confirmToken(
  on: Queryable,
  o: { id: string; sha256: Buffer; at: Date },
): Promise<void> {
  await on.query(
    `UPDATE portal_sessions
     SET confirmed_at = $3, rotation_salt = NULL, last_used_at = greatest(last_used_at, $3)
     WHERE id = $1 AND token_sha256 = $2 AND confirmed_at IS NULL`,
    [o.id, o.sha256, o.at],
  );
}

export type Rotation = {
  readonly id: string;
  readonly shownSha256: Buffer;
  readonly nextSha256: Buffer;
  readonly salt: Buffer;
  readonly at: Date;
};

/** Of two concurrent requests that would rotate, one does. */
export async function rotateToken(on: Queryable, o: Rotation): Promise<boolean> {
  const rows = await on.query(
    `UPDATE portal_sessions
     SET token_sha256 = $3, previous_sha256 = $2, rotation_salt = $4, rotated_at = $5, confirmed_at = NULL,
         last_used_at = greatest(last_used_at, $5)
     WHERE id = $1 AND token_sha256 = $2 RETURNING id`,
    [o.id, o.shownSha256, o.nextSha256, o.salt, o.at],
  );
  return rows.length === 1;
}

/** The session continues as another person of the same address, with a new token and a new CSRF token. */
export async function changePerson(
  tx: Transaction,
  o: Rotation & { personId: number; csrfToken: string },
): Promise<boolean> {
  const rows = await tx.query(
    `UPDATE portal_sessions
     SET person_id = $6, csrf_token = $7, token_sha256 = $3, previous_sha256 = $2, rotation_salt = $4,
         rotated_at = $5, confirmed_at = NULL, last_used_at = greatest(last_used_at, $5)
     WHERE id = $1 AND (token_sha256 = $2 OR previous_sha256 = $2) RETURNING id`,
    [o.id, o.shownSha256, o.nextSha256, o.salt, o.at, o.personId, o.csrfToken],
  );
  return rows.length === 1;
}

export type ListedSession = {
  readonly id: string;
  readonly organisation: { readonly id: number; readonly name: string };
  readonly createdAt: Date;
  readonly lastUsedAt: Date;
};

export async function listSessions(
  on: Queryable,
  o: { address: string; at: Date; usedAfter: Date },
): Promise<ListedSession[]> {
  return on.query<ListedSession>(
    `SELECT s.id, json_build_object('id', o.id, 'name', o.name) AS organisation,
            s.created_at AS "createdAt", s.last_used_at AS "lastUsedAt"
     FROM portal_sessions s
     JOIN people p ON p.id = s.person_id
     JOIN organisations o ON o.id = p.organisation_id
     WHERE s.email = $1 AND s.expires_at > $2 AND s.last_used_at > $3
       AND p.enabled AND o.enabled AND lower(p.email) = s.email
     ORDER BY s.last_used_at DESC, s.id`,
    [o.address, o.at, o.usedAfter],
  );
}

/** An organisation that an address belongs to. */
export type OpenOrganisation = {
  readonly personId: number;
  readonly role: Role;
  readonly id: number;
  readonly name: string;
  readonly tradingName: string;
  readonly country: string;
  readonly currency: string;
  readonly approved: boolean;
  readonly withdrawnAt: Date | null;
  readonly withdrawnBecause: string | null;
};

export async function listOrganisationsOf(on: Queryable, address: string): Promise<OpenOrganisation[]> {
  return on.query<OpenOrganisation>(
    `SELECT p.id AS "personId", p.role, o.id, o.name, o.trading_name AS "tradingName", o.country, o.currency,
            o.approved_at IS NOT NULL AS approved,
            o.withdrawn_at AS "withdrawnAt", o.withdrawn_because AS "withdrawnBecause"
     FROM people p JOIN organisations o ON o.id = p.organisation_id
     WHERE lower(p.email) = $1 AND p.enabled AND o.enabled ORDER BY o.id`,
    [address],
  );
}

export async function deleteSession(on: Queryable, id: string): Promise<void> {
  await on.query(`DELETE FROM portal_sessions WHERE id = $1`, [id]);
}

/** False if the address has no such session. */
export async function deleteSessionOf(on: Queryable, o: { id: string; address: string }): Promise<boolean> {
  const rows = await on.query(`DELETE FROM portal_sessions WHERE id = $1 AND email = $2 RETURNING id`, [
    o.id,
    o.address,
  ]);
  return rows.length === 1;
}

export async function deleteSessionByToken(on: Queryable, sha256: Buffer): Promise<void> {
  await on.query(`DELETE FROM portal_sessions WHERE token_sha256 = $1 OR previous_sha256 = $1`, [sha256]);
}

export async function deleteSessionsOf(on: Queryable, address: string): Promise<void> {
  await on.query(`DELETE FROM portal_sessions WHERE email = $1`, [address]);
}
