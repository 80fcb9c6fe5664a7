/** Top-ups by card in Postgres: how many of an organisation wait for their payment, and the one of an idempotency key. */
import type { Transaction } from '@offer-ads/platform/postgres/postgres';
import type { Book } from '../domain/ledger/ledger.ts';
import type { CardPayment } from '../domain/payments/card-payment.ts';
import { type CardPaymentRow, toCardPayment } from './payments-store.ts';

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
    `SELECT count(*) AS open, min(expiry_at) AS next_closes_at FROM payments
      WHERE top_up_id IS NOT NULL AND organisation_id = $1 AND mode = $2 AND state IN ('opening', 'open', 'closing') AND expiry_at > $3`,
    [organisationId, mode, now],
  );
  return { open: Number(row?.open ?? 0n), nextClosesAt: row?.next_closes_at ?? null };
}

/** Locks it. */
export async function lockTopUpByKey(
  tx: Transaction,
  { organisationId, mode }: Book,
  idempotencyKey: string,
): Promise<CardPayment | undefined> {
  const [row] = await tx.query<CardPaymentRow>(
    'SELECT * FROM payments WHERE organisation_id = $1 AND mode = $2 AND idempotency_key = $3 FOR UPDATE',
    [organisationId, mode, idempotencyKey],
  );
  return row && toCardPayment(row);
}
