/** The SQL that erases a person's address from the gateway's database. */
import type { Role } from '@offer-ads/contracts/events/gateway';
import type { Queryable, Transaction } from '@offer-ads/platform/postgres/postgres';
import { onlyRow, updateRow } from '@offer-ads/platform/postgres/rows';
import { erasedAddress } from '../domain/accounts/people.ts';

export type Membership = {
  readonly personId: number;
  readonly organisationId: number;
  readonly role: Role;
};

/** Null: there is no such person. The address is that of the person, in lower case; null if the person was erased. */
export async function addressOfPerson(
  on: Queryable,
  id: number,
): Promise<{ readonly address: string | null } | null> {
  const [row] = await on.query<{ address: string | null }>(
    `SELECT CASE WHEN erased_at IS NULL THEN lower(email) END AS address FROM people WHERE id = $1`,
    [id],
  );
  return row ?? null;
}

export async function membershipsOf(on: Queryable, address: string): Promise<Membership[]> {
  return on.query<Membership>(
    `SELECT id AS "personId", organisation_id AS "organisationId", role FROM people
     WHERE lower(email) = $1 AND erased_at IS NULL ORDER BY organisation_id`,
    [address],
  );
}

/** The row stays without the address: keys, acceptances of terms and invitations refer to it. Call it under the organisation's lock. */
export function eraseMembership(tx: Transaction, personId: number, at: Date): Promise<void> {
  return updateRow(tx, 'people', personId, {
    email: erasedAddress(personId),
    enabled: false,
    erased_at: at,
  });
}

export type AddressRows = { readonly sessions: number; readonly links: number; readonly signUps: number };

export async function countAddressRows(on: Queryable, address: string): Promise<AddressRows> {
  const rows = await on.query<AddressRows>(
    `SELECT (SELECT count(*)::integer FROM portal_sessions WHERE email = $1) AS sessions,
            (SELECT count(*)::integer FROM sign_in_links WHERE email = $1) AS links,
            (SELECT count(*)::integer FROM sign_ups WHERE lower(email) = $1) AS "signUps"`,
    [address],
  );
  return onlyRow(rows);
}

/** Sessions and links of the address, requests for links, and registrations. */
export async function eraseAddressRows(tx: Transaction, address: string): Promise<void> {
  await tx.query('DELETE FROM portal_sessions WHERE email = $1', [address]);
  await tx.query('DELETE FROM sign_in_links WHERE email = $1', [address]);
  await tx.query('DELETE FROM sign_in_requests WHERE email = $1', [address]);
  await tx.query('DELETE FROM sign_ups WHERE lower(email) = $1', [address]);
}

/** `strpos`, not `LIKE`: an address may contain wildcards. In quotes, so that it is the whole value of a field. */
const namesAddress = (event: string) => `strpos(lower(${event}::text), '"' || $1 || '"') > 0`;

/**
 * Events with the address that were not published yet. Waits for a relay that is publishing them. No consumer misses them: an event about
 * an organisation has all facts, and the erasure has written a later one. The others are links for the erased person, or an invitation that the
 * person sent at this moment.
 */
export async function eraseUnsentEvents(tx: Transaction, address: string): Promise<number> {
  const erased = await tx.query(`DELETE FROM outbox WHERE ${namesAddress('event')} RETURNING 1`, [address]);
  return erased.length;
}

/** Each statement must end within its time-out, and an event of a large organisation has 60 kB. */
const EVENTS_AT_ONCE = 500;

/** Published events with the address, in steps, because no index finds them. They are kept for republishing, and only the latest of each organisation is needed. */
export async function eraseSentEvents(on: Queryable, address: string): Promise<number> {
  let erased = 0;
  for (let after = '0'; ; ) {
    const rows = await on.query<{ last: string | null; erased: number }>(
      `WITH looked AS MATERIALIZED (
         SELECT position, event FROM sent_events WHERE position > $2 ORDER BY position LIMIT $3),
       gone AS (
         DELETE FROM sent_events USING looked
         WHERE sent_events.position = looked.position AND ${namesAddress('looked.event')} RETURNING 1)
       SELECT (SELECT max(position) FROM looked)::text AS last, (SELECT count(*) FROM gone)::integer AS erased`,
      [address, after, EVENTS_AT_ONCE],
    );
    const step = onlyRow(rows);
    erased += step.erased;
    if (step.last === null) return erased;
    after = step.last;
  }
}
