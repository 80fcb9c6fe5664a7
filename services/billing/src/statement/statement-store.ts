/** Pages of the ledger of one book, newest first, with the balance after each transaction. */
import type { TransactionKind } from '@offer-ads/contracts/internal/billing-api';
import type { Queryable } from '@offer-ads/platform/postgres/postgres';
import type { Book } from '../domain/ledger/ledger.ts';
import type { Period, StatementPlace } from '../domain/ledger/statement.ts';

export type StatementLine = {
  readonly transactionId: bigint;
  readonly bookedAt: Date;
  readonly kind: TransactionKind;
  readonly cause: string;
  readonly offerId: number | null;
  readonly title: string | null;
  readonly amountMinor: bigint;
  readonly balanceMinor: bigint;
  /** Null if the transaction has no card payment. */
  readonly card: { readonly netMinor: bigint; readonly vatMinor: bigint } | null;
};

export type StatementPage = {
  readonly openingMinor: bigint;
  readonly closingMinor: bigint;
  readonly lines: readonly StatementLine[];
};

/**
 * One SQL statement, so that balances and lines come from one snapshot. Within a book, times and ids grow in the order of commits (see
 * `book`), so no new transaction can appear below a place that was read.
 * @param after null for the first page
 * @returns undefined if the book has no such place
 */
export async function readStatementPage(
  on: Queryable,
  { organisationId, mode, currency }: Book,
  { from, to }: Period,
  { after, limit }: { readonly after: StatementPlace | null; readonly limit: number },
): Promise<StatementPage | undefined> {
  const rows = await on.query<PageRow>(PAGE, [
    organisationId,
    mode,
    currency,
    from ?? '-infinity',
    to ?? 'infinity',
    after?.newestId ?? null,
    after?.lastId ?? null,
    limit,
  ]);
  const [bounds] = rows;
  if (bounds === undefined || bounds.closing === null || bounds.after_at === null) return undefined;
  return {
    openingMinor: bounds.opening,
    closingMinor: bounds.closing,
    lines: rows.filter(hasLine).map(lineOf),
  };
}

const OF_BOOK = 'organisation_id = $1 AND mode = $2 AND currency = $3';
const PAGE = `
  WITH bounds AS MATERIALIZED (
    SELECT coalesce((SELECT balance_after_minor FROM transactions
                      WHERE ${OF_BOOK} AND booked_at < $4
                      ORDER BY booked_at DESC, transaction_id DESC LIMIT 1), 0) AS opening,
           CASE WHEN $6::bigint IS NULL
                THEN coalesce((SELECT balance_after_minor FROM transactions
                                WHERE ${OF_BOOK} AND booked_at < $5
                                ORDER BY booked_at DESC, transaction_id DESC LIMIT 1), 0)
                ELSE (SELECT balance_after_minor FROM transactions WHERE ${OF_BOOK} AND transaction_id = $6)
           END AS closing,
           CASE WHEN $7::bigint IS NULL THEN $5::timestamptz
                ELSE (SELECT booked_at FROM transactions WHERE ${OF_BOOK} AND transaction_id = $7)
           END AS after_at
  ), page AS (
    SELECT transactions.* FROM bounds CROSS JOIN LATERAL (
      SELECT * FROM transactions
       WHERE ${OF_BOOK} AND booked_at >= $4 AND booked_at < $5
         AND (booked_at, transaction_id) < (bounds.after_at, coalesce($7::bigint, 0))
       ORDER BY booked_at DESC, transaction_id DESC LIMIT $8
    ) transactions
  )
  SELECT bounds.opening, bounds.closing, bounds.after_at::text, page.transaction_id AS "transactionId", page.booked_at AS "bookedAt",
         page.kind, page.cause, page.offer_id::float8 AS "offerId", coalesce(payments.title, invoices.title) AS title, page.balance_after_minor AS "balanceMinor", moved.*
    FROM bounds
    LEFT JOIN page ON true
    LEFT JOIN payments ON payments.offer_id = page.offer_id
    -- Of a group, which has no single offer.
    LEFT JOIN invoices ON invoices.cause = page.cause
    LEFT JOIN LATERAL (
      SELECT coalesce(sum(amount_minor) FILTER (WHERE a.kind = 'prepaid-balance'), 0)::bigint AS "amountMinor",
             -(sum(amount_minor) FILTER (WHERE a.kind = 'card-clearing'))::bigint AS "cardGross",
             coalesce(sum(amount_minor) FILTER (WHERE a.kind = 'vat-payable'), 0)::bigint AS vat
        FROM entries JOIN accounts a USING (account_id)
       WHERE entries.transaction_id = page.transaction_id
    ) moved ON true
   ORDER BY page.booked_at DESC, page.transaction_id DESC`;

type Bounds = { opening: bigint; closing: bigint | null; after_at: string | null };
type Line = Omit<StatementLine, 'card'> & { readonly cardGross: bigint | null; readonly vat: bigint };
/** An empty page has only the bounds. */
type PageRow = Bounds & (Line | { transactionId: null });

function hasLine(row: PageRow): row is Bounds & Line {
  return row.transactionId !== null;
}

function lineOf({ cardGross, vat, ...line }: Line): StatementLine {
  return { ...line, card: cardGross === null ? null : { netMinor: cardGross - vat, vatMinor: vat } };
}
