/** Top-ups by card in Postgres. There is one row per idempotency key; it is locked while the top-up is paid or closed. */
import type { Queryable, Transaction } from '@offer-ads/platform/postgres/postgres';
import type { Book } from '../domain/ledger/ledger.ts';
import type { Purchase } from '../domain/payments/card-payment.ts';
import type { Checkout } from '../domain/payments/checkout.ts';
import { insertSession } from './checkouts-store.ts';

export type TopUp = Extract<Purchase, { kind: 'top-up' }>;
export type TopUpOrder = {
  readonly book: Book;
  readonly idempotencyKey: string;
  readonly netMinor: bigint;
};

/** Serialises the top-up requests of an organisation and mode, so that their number can be limited. */
export async function lockTopUpsOf(tx: Transaction, { organisationId, mode }: Book): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
    `top-ups of ${organisationId} in ${mode}`,
  ]);
}

/** Counts the top-ups that can still be paid, and returns when the first of them closes. */
export async function openTopUpsOf(
  tx: Transaction,
  { organisationId, mode }: Book,
  now: Date,
): Promise<{ readonly open: number; readonly nextClosesAt: Date | null }> {
  const [row] = await tx.query<{ open: bigint; next_closes_at: Date | null }>(
    `SELECT count(*) AS open, min(expiry_at) AS next_closes_at FROM top_ups
      WHERE organisation_id = $1 AND mode = $2 AND state IN ('opening', 'open', 'closing') AND expiry_at > $3`,
    [organisationId, mode, now],
  );
  return { open: Number(row?.open ?? 0n), nextClosesAt: row?.next_closes_at ?? null };
}

/** With a key that was not used before, as seen under the lock of `lockTopUpsOf`. */
export async function insertTopUp(
  tx: Transaction,
  order: TopUpOrder & { readonly vatMinor: bigint; readonly payToken: string },
  checkout: Checkout,
  now: Date,
): Promise<TopUp> {
  const { book } = order;
  const [row] = await tx.query<{ top_up_id: bigint }>(
    `INSERT INTO top_ups
       (organisation_id, mode, currency, idempotency_key, asked_at, net_minor, vat_minor, state, pay_token, expiry_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING top_up_id`,
    [
      book.organisationId,
      book.mode,
      book.currency,
      order.idempotencyKey,
      now,
      order.netMinor,
      order.vatMinor,
      checkout.state,
      order.payToken,
      checkout.expiryAt,
    ],
  );
  if (row === undefined) throw new Error('the inserted top-up gave no row');
  const topUp = topUpOf(row.top_up_id);
  await insertSession(tx, topUp, checkout, now);
  return topUp;
}

export async function findTopUpByKey(
  on: Queryable,
  { book, idempotencyKey }: Pick<TopUpOrder, 'book' | 'idempotencyKey'>,
): Promise<TopUp | undefined> {
  const [row] = await on.query<{ top_up_id: bigint }>(
    'SELECT top_up_id FROM top_ups WHERE organisation_id = $1 AND mode = $2 AND idempotency_key = $3',
    [book.organisationId, book.mode, idempotencyKey],
  );
  return row && topUpOf(row.top_up_id);
}

/** Removes the row of a refused request. */
export async function deleteTopUp(tx: Transaction, topUpId: number): Promise<void> {
  await tx.query('DELETE FROM top_ups WHERE top_up_id = $1', [topUpId]);
}

function topUpOf(id: bigint): TopUp {
  return { kind: 'top-up', topUpId: Number(id) };
}
