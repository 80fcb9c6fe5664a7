/** What a key or a person has ordered, from the payments of their offers. What is closed unpaid counts no more, so nothing is given back. */
import type { ExceededLimit } from '@offer-ads/contracts/internal/billing-api';
import type { Queryable, Transaction } from '@offer-ads/platform/postgres/postgres';
import type { Order } from '../domain/payments/offer-payment.ts';
import { exceededBy, hasLimit, type Ordered } from '../domain/payments/spending.ts';
import { lockPostings } from '../ledger/ledger-store.ts';

/** In the UTC day of `at` and its month. `except`: an offer that does not count, because it is asked for again. */
export async function findOrdered(
  on: Queryable,
  { book, spending }: Pick<Order, 'book' | 'spending'>,
  at: Date,
  except: number | null = null,
): Promise<Ordered> {
  const [row] = await on.query<Ordered>(
    `SELECT coalesce(sum(net_minor + vat_minor) FILTER (WHERE ordered_on = day), 0)::bigint AS day,
            coalesce(sum(net_minor + vat_minor), 0)::bigint AS month
       FROM (VALUES (($1::timestamptz AT TIME ZONE 'UTC')::date)) AS today (day)
       JOIN payments ON ordered_on >= date_trunc('month', day) AND ordered_on < date_trunc('month', day) + interval '1 month'
      WHERE spender = $2 AND mode = $3 AND currency = $4 AND state <> 'closed' AND offer_id IS DISTINCT FROM $5`,
    [at, spending.spender, book.mode, book.currency, except],
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
  const { spending, book, offerId, costMinor } = order;
  if (!hasLimit(spending)) return null;
  await lockPostings(tx, `spending/${spending.spender}/${book.mode}`);
  return exceededBy(costMinor, spending, await findOrdered(tx, order, at, offerId));
}
