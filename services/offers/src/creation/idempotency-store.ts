/**
 * The SQL of idempotency keys: who holds a creation, and how far it is (architecture, "Creating an offer"). An edit with a key goes from
 * `received` to `finished` at once. Every write after the claim
 * contains the holder's fence and changes nothing if another holder has taken over.
 */

import type { CreationReply } from '@offer-ads/contracts/portal/offers-api';
import type { CreateReply, UpdateReply } from '@offer-ads/contracts/public/api';
import type { CreateGroupReply } from '@offer-ads/contracts/public/groups-api';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type {
  Postgres,
  PreparedStatement,
  Queryable,
  Transaction,
} from '@offer-ads/platform/postgres/postgres';
import { judgeKey, latestLease, leaseFrom, type RecoveryPoint } from '../domain/creation/idempotency-key.ts';

export type KeyName = {
  readonly organisationId: number;
  readonly mode: Mode;
  readonly idempotencyKey: string;
};

/** The right to work on the creation of a key until another holder takes over. Each holder has a fence of its own, a number never used twice. */
export type Hold = KeyName & { readonly fence: bigint };

export type Creation =
  | { readonly recoveryPoint: 'received' }
  /** Of a group, its first offer. */
  | { readonly recoveryPoint: 'charging'; readonly offerId: number };

export type StoredReply = CreateReply | CreateGroupReply | UpdateReply;

export type Claim<Reply> =
  | { readonly outcome: 'held'; readonly hold: Hold; readonly creation: Creation }
  | { readonly outcome: 'replay'; readonly reply: Reply }
  | { readonly outcome: 'different-payload' | 'in-flight' };

type KeyRow = {
  organisation_id: number;
  mode: Mode;
  idempotency_key: string;
  fingerprint: Buffer;
  recovery_point: RecoveryPoint;
  lease_until: Date;
  fence: bigint;
  offer_id: number | null;
  reply: StoredReply | null;
};

const thisKey = 'organisation_id = $1 AND mode = $2 AND idempotency_key = $3';
/** The key, if this holder still has it; its values are `holdValues`. */
export const thisHold = `${thisKey} AND fence = $4`;

const claimStatement: PreparedStatement = {
  name: 'claim-key',
  sql: `INSERT INTO idempotency_keys (organisation_id, mode, idempotency_key, fingerprint, recovery_point, lease_until)
        VALUES ($1, $2, $3, $4, 'received', $5) ON CONFLICT DO NOTHING RETURNING fence`,
};

/** @param fingerprint differs between the endpoints, so that a replay is always a reply of the endpoint that was called */
export async function claimKey<Reply extends StoredReply = CreateReply>(
  postgres: Postgres,
  name: KeyName,
  fingerprint: Buffer,
  now: Date,
): Promise<Claim<Reply>> {
  const [created] = await postgres.query<Pick<KeyRow, 'fence'>>(claimStatement, [
    ...keyValues(name),
    fingerprint,
    leaseFrom(now),
  ]);
  if (created !== undefined)
    return { outcome: 'held', hold: { ...name, ...created }, creation: { recoveryPoint: 'received' } };
  return postgres.transaction(async (tx) => {
    const [row] = await tx.query<KeyRow>(
      `SELECT * FROM idempotency_keys WHERE ${thisKey} FOR UPDATE`,
      keyValues(name),
    );
    // The key was freed between the two statements: the caller retries, as for any request that is still running.
    if (row === undefined) return { outcome: 'in-flight' };
    const known = {
      sameFingerprint: row.fingerprint.equals(fingerprint),
      recoveryPoint: row.recovery_point,
      leaseUntil: row.lease_until,
    };
    const verdict = judgeKey(known, now);
    switch (verdict) {
      case 'different-payload':
      case 'in-flight':
        return { outcome: verdict };
      case 'replay':
        return { outcome: 'replay', reply: present(row.reply) as Reply };
      case 'take-over':
        return { outcome: 'held', ...(await takeOver(tx, row, now)) };
    }
  });
}

/** Reads the state without claiming the key. Ids are returned only for a finished creation, because an unfinished one may still fail. */
export async function findCreation(postgres: Postgres, name: KeyName): Promise<CreationReply> {
  const [row] = await postgres.query<Pick<KeyRow, 'recovery_point' | 'offer_id' | 'reply'>>(
    `SELECT recovery_point, offer_id, reply FROM idempotency_keys WHERE ${thisKey}`,
    keyValues(name),
  );
  if (row?.recovery_point !== 'finished')
    return { state: row === undefined ? 'none' : 'under_way', offer_id: null, group_id: null };
  const reply = present(row.reply);
  return {
    state: 'created',
    offer_id: present(row.offer_id),
    group_id: 'group_id' in reply ? reply.group_id : null,
  };
}

/**
 * Claims a creation whose lease ended before `abandonedBefore`, or ends later than any lease can. One at a time, so that no creation is
 * locked while another is resolved.
 */
export async function claimAbandoned(
  postgres: Postgres,
  abandonedBefore: Date,
  now: Date,
): Promise<{ hold: Hold; creation: Creation } | null> {
  return postgres.transaction(async (tx) => {
    const [row] = await tx.query<KeyRow>(
      `SELECT * FROM idempotency_keys WHERE recovery_point <> 'finished' AND (lease_until < $1 OR lease_until > $2)
       ORDER BY lease_until LIMIT 1 FOR UPDATE SKIP LOCKED`,
      [abandonedBefore, latestLease(now)],
    );
    return row === undefined ? null : takeOver(tx, row, now);
  });
}

async function takeOver(
  tx: Transaction,
  row: KeyRow,
  now: Date,
): Promise<{ hold: Hold; creation: Creation }> {
  const name = { organisationId: row.organisation_id, mode: row.mode, idempotencyKey: row.idempotency_key };
  const [taken] = await tx.query<Pick<KeyRow, 'fence'>>(
    `UPDATE idempotency_keys SET fence = DEFAULT, lease_until = $4 WHERE ${thisKey} RETURNING fence`,
    [...keyValues(name), leaseFrom(now)],
  );
  return { hold: { ...name, fence: present(taken?.fence ?? null) }, creation: toCreation(row) };
}

/**
 * received -> finished, in the transaction of the edit.
 * @throws {HoldLost}
 */
export async function finishEdit(
  tx: Transaction,
  hold: Hold,
  offerId: number,
  reply: UpdateReply,
): Promise<void> {
  const finished = await tx.query(
    `UPDATE idempotency_keys SET recovery_point = 'finished', offer_id = $5, reply = $6 WHERE ${thisHold} RETURNING 1`,
    [...holdValues(hold), offerId, JSON.stringify(reply)],
  );
  if (finished.length === 0) throw new HoldLost();
}

/** A refused request does not use up its key (decision 10, idempotency keys). */
export async function freeKey(db: Queryable, hold: Hold): Promise<void> {
  const freed = await db.query(
    `DELETE FROM idempotency_keys WHERE ${thisHold} RETURNING 1`,
    holdValues(hold),
  );
  if (freed.length === 0) throw new HoldLost();
}

/** Ends the lease, so that the next request with the key continues at once. */
export async function releaseLease(db: Queryable, hold: Hold, now: Date): Promise<void> {
  await db.query(
    `UPDATE idempotency_keys SET lease_until = $5 WHERE ${thisHold} AND recovery_point <> 'finished'`,
    [...holdValues(hold), now],
  );
}

/**
 * Another request took this creation over, or its picture was removed after an hour without progress. Thrown so that the transaction rolls
 * back; `createOffer` turns it into the refusal `in-flight`.
 */
export class HoldLost extends Error {
  override readonly message = 'another request took this creation over, or its picture was removed';
}

function toCreation(row: KeyRow): Creation {
  switch (row.recovery_point) {
    case 'received':
      return { recoveryPoint: 'received' };
    case 'charging':
      return { recoveryPoint: 'charging', offerId: present(row.offer_id) };
    case 'finished':
      throw new Error('a finished creation has nothing left to do');
  }
}

/** For columns that the table's constraints guarantee at their recovery points. */
function present<T>(value: T | null): T {
  if (value === null) throw new Error('an idempotency row lacks a column that its recovery point requires');
  return value;
}

function keyValues(name: KeyName): unknown[] {
  return [name.organisationId, name.mode, name.idempotencyKey];
}

export function holdValues(hold: Hold): unknown[] {
  return [...keyValues(hold), hold.fence];
}
