/**
 * What a key or a person has ordered, from the payments of their offers and groups. What is closed unpaid for ever counts no more, so nothing is
 * given back. A page that was closed for a deletion counts until the deletion is final: if it fails, the page opens again.
 */
import type { ExceededLimit } from '@offer-ads/contracts/internal/billing-api';
import type { Queryable, Transaction } from '@offer-ads/platform/postgres/postgres';
import type { Purchase } from '../domain/payments/card-payment.ts';
import { FOR_EVER } from '../domain/payments/checkout.ts';
import { type Order, purchaseOf } from '../domain/payments/offer-payment.ts';
import { exceededBy, hasLimit, type Ordered } from '../domain/payments/spending.ts';
import { lockPostings } from '../ledger/ledger-store.ts';
import { idValues, thisPurchase } from './payments-store.ts';

/** In the UTC day of `at` and its month. `except`: what does not count, because it is asked for again. */
export async function findOrdered(
  on: Queryable,
  { book, spending }: Pick<Order, 'book' | 'spending'>,
  at: Date,
  except?: Purchase,
): Promise<Ordered> {
  const [row] = await on.query<Ordered>(
    `SELECT coalesce(sum(net_minor + vat_minor) FILTER (WHERE ordered_on = day), 0)::bigint AS day,
            coalesce(sum(net_minor + vat_minor), 0)::bigint AS month
       FROM (VALUES (($4::timestamptz AT TIME ZONE 'UTC')::date)) AS today (day)
       JOIN payments ON ordered_on >= date_trunc('month', day) AND ordered_on < date_trunc('month', day) + interval '1 month'
      WHERE spender = $5 AND mode = $6 AND currency = $7 AND (state <> 'closed' OR deletion < $8 AND paid_at IS NULL)
        AND ${thisPurchase} IS NOT TRUE`,
    [
      ...(except ? idValues(except) : [null, null, null]),
      at,
      spending.spender,
      book.mode,
      book.currency,
      FOR_EVER,
    ],
  );
  if (row === undefined) throw new Error('an aggregate gave no row');
  return row;
}

/**
 * Until the transaction ends, nobody else orders for this spender, so orders that come together cannot pass a limit together.
 * @returns the limit that the order would pass, or null
 */
export async function lockSpending(
  tx: Transaction,
  order: Order & { readonly costMinor: bigint },
  at: Date,
): Promise<ExceededLimit | null> {
  const { spending, book, costMinor } = order;
  if (!hasLimit(spending)) return null;
  await lockPostings(tx, `spending/${spending.spender}/${book.mode}`);
  return exceededBy(costMinor, spending, await findOrdered(tx, order, at, purchaseOf(order)));
}
