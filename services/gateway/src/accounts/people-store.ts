/** All SQL about people and their invitations. */
import type { Role } from '@offer-ads/contracts/events/gateway';
import type { Queryable, Transaction } from '@offer-ads/platform/postgres/postgres';
import { insertRow, updateRow } from '@offer-ads/platform/postgres/rows';
import type { Person } from '../domain/accounts/organisation.ts';
import { inForceAt } from '../keys/keys-store.ts';

/** A person as lists show them. */
export type PersonRecord = Person & {
  readonly invitedAt: Date;
  /** Null if the platform team sent the invitation. */
  readonly invitedBy: string | null;
  /** Null while the invitation is open. */
  readonly lastSignedInAt: Date | null;
  readonly keysInForce: number;
};

export async function insertPerson(
  tx: Transaction,
  o: { organisationId: number; email: string; role: Role; at: Date },
): Promise<number> {
  const columns = { organisation_id: o.organisationId, email: o.email, role: o.role, invited_at: o.at };
  return (await insertRow<{ id: number }>(tx, 'people', columns, 'id')).id;
}

export function updatePerson(tx: Transaction, { id, role, enabled }: Person): Promise<void> {
  return updateRow(tx, 'people', id, { role, enabled });
}

/**
 * Locks all people of the organisation in the same way as sign-ins do. A running sign-in has therefore stored its session before the
 * sessions are deleted.
 */
export async function lockPeople(tx: Transaction, organisationId: number): Promise<number[]> {
  const rows = await tx.query<{ id: number }>(
    `SELECT id FROM people WHERE organisation_id = $1 ORDER BY id FOR NO KEY UPDATE`,
    [organisationId],
  );
  return rows.map(({ id }) => id);
}

/** Ends sessions and links of disabled people, so that enabling them again does not make these work again. */
export async function endAccess(
  tx: Transaction,
  o: { personIds: readonly number[]; at: Date },
): Promise<void> {
  await tx.query(`DELETE FROM portal_sessions WHERE person_id = ANY($1)`, [o.personIds]);
  await tx.query(`UPDATE sign_in_links SET used_at = $2 WHERE person_id = ANY($1) AND used_at IS NULL`, [
    o.personIds,
    o.at,
  ]);
}

export async function insertInvitation(
  tx: Transaction,
  o: { personId: number; sentBy: number | null; at: Date },
): Promise<number> {
  const columns = { person_id: o.personId, sent_by: o.sentBy, sent_at: o.at };
  return (await insertRow<{ id: number }>(tx, 'invitations', columns, 'id')).id;
}

export async function hasJoined(on: Queryable, personId: number): Promise<boolean> {
  const [person] = await on.query(`SELECT FROM people WHERE id = $1 AND last_signed_in_at IS NOT NULL`, [
    personId,
  ]);
  return person !== undefined;
}

/** Locks invitations to the address, from any organisation, until the transaction ends; then reads the times of those already sent. */
export async function lockInvitationsTo(tx: Transaction, email: string, limit: number): Promise<Date[]> {
  await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('invitation ' || lower($1::text), 0))`, [
    email,
  ]);
  const sent = await tx.query<{ sentAt: Date }>(
    `SELECT i.sent_at AS "sentAt" FROM invitations i JOIN people p ON p.id = i.person_id
     WHERE lower(p.email) = lower($1) ORDER BY i.sent_at DESC LIMIT $2`,
    [email, limit],
  );
  return sent.map(({ sentAt }) => sentAt);
}

/** Invitations sent by people of the organisation, newest first. */
export async function invitationsBy(on: Queryable, organisationId: number, limit: number): Promise<Date[]> {
  const sent = await on.query<{ sentAt: Date }>(
    `SELECT i.sent_at AS "sentAt" FROM invitations i JOIN people p ON p.id = i.person_id
     WHERE p.organisation_id = $1 AND i.sent_by IS NOT NULL ORDER BY i.sent_at DESC LIMIT $2`,
    [organisationId, limit],
  );
  return sent.map(({ sentAt }) => sentAt);
}

/** What colleagues know people and keys by. Those of other organisations, and people who were erased, are left out. */
export async function findAuthors(
  on: Queryable,
  o: { organisationId: number; personIds: readonly number[]; keyIds: readonly number[] },
) {
  const people = await on.query<{ id: number; email: string }>(
    `SELECT id, email FROM people WHERE organisation_id = $1 AND id = ANY ($2::integer[]) AND erased_at IS NULL`,
    [o.organisationId, o.personIds],
  );
  const keys = await on.query<{ id: number; lastFour: string }>(
    `SELECT id, last_four AS "lastFour" FROM api_keys WHERE organisation_id = $1 AND id = ANY ($2::integer[])`,
    [o.organisationId, o.keyIds],
  );
  return { people, keys };
}

/** The people of one organisation, by the time they joined; `maxPeople` limits their number. */
export async function listPeople(
  on: Queryable,
  o: { organisationId: number; at: Date },
): Promise<PersonRecord[]> {
  return on.query<PersonRecord>(
    `SELECT p.id, p.email, p.role, p.enabled, p.invited_at AS "invitedAt",
            (SELECT inviter.email FROM invitations i JOIN people inviter ON inviter.id = i.sent_by
             WHERE i.person_id = p.id ORDER BY i.id DESC LIMIT 1) AS "invitedBy",
            p.last_signed_in_at AS "lastSignedInAt", coalesce(k.in_force, 0) AS "keysInForce"
     FROM people p
     LEFT JOIN (SELECT created_by, count(*)::integer AS in_force FROM api_keys k
                WHERE k.organisation_id = $1 AND ${inForceAt('$2')}
                GROUP BY created_by) k ON k.created_by = p.id
     WHERE p.organisation_id = $1 AND p.erased_at IS NULL
     ORDER BY p.id`,
    [o.organisationId, o.at],
  );
}
