/** Pages of the ledger of one book, newest first, with the balance after each transaction. */
import type { TransactionKind } from '@offer-ads/contracts/internal/billing-api';
import type { Queryable } from '@offer-ads/platform/postgres/postgres';
import type { Book } from '../domain/ledger/ledger.ts';
import type { Asked, StatementPlace } from '../domain/ledger/statement.ts';

export type StatementLine = {
  readonly transactionId: bigint;
  readonly bookedAt: Date;
  readonly kind: TransactionKind;
  readonly cause: string;
  readonly offerId: number | null;
  readonly groupId: number | null;
  readonly title: string | null;
  readonly amountMinor: bigint;
  readonly balanceMinor: bigint;
  /** Null if the transaction has no card payment. */
  readonly card: { readonly netMinor: bigint; readonly vatMinor: bigint } | null;
};

export type StatementPage = {
  /** The newest transaction before the end of the period, of any kind; 0 if there is none. */
  readonly newestId: bigint;
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
  book: Book,
  asked: Asked,
  { after, limit }: { readonly after: StatementPlace | null; readonly limit: number },
): Promise<StatementPage | undefined> {
  const rows = await on.query<PageRow>(PAGE, [
    ...valuesOf(book, asked),
    after?.newestId ?? null,
    after?.lastId ?? null,
    limit,
  ]);
  const [bounds] = rows;
  if (bounds === undefined || bounds.closing === null || bounds.after_at === null) return undefined;
  return {
    newestId: bounds.newest,
    openingMinor: bounds.opening,
    closingMinor: bounds.closing,
    lines: rows.filter(hasLine).map(lineOf),
  };
}

export type StatementSums = Pick<StatementLine, 'card'> & {
  readonly entries: number;
  readonly addedMinor: bigint;
  readonly deductedMinor: bigint;
};

/**
 * Of all lines of a statement. Transactions up to the newest one never change, so the sums belong to the pages.
 * @returns null if there are more than `most`
 */
export async function sumStatement(
  on: Queryable,
  book: Book,
  asked: Asked,
  { newestId, most }: { readonly newestId: bigint; readonly most: number },
): Promise<StatementSums | null> {
  const values = [...valuesOf(book, asked), newestId, most + 1];
  const [row] = await on.query<Omit<StatementSums, 'card'> & OfCard>(SUMS, values);
  if (row === undefined || row.entries > most) return null;
  const { entries, addedMinor, deductedMinor } = row;
  return { entries, addedMinor, deductedMinor, card: cardIn(row) };
}

function valuesOf({ organisationId, mode, currency }: Book, { from, to, kinds }: Asked) {
  return [organisationId, mode, currency, from ?? '-infinity', to ?? 'infinity', kinds];
}

const OF_BOOK = 'organisation_id = $1 AND mode = $2 AND currency = $3';
const ASKED = `${OF_BOOK} AND booked_at >= $4 AND booked_at < $5 AND ($6::text[] IS NULL OR kind = ANY ($6))`;
const movedBy = (transaction: string) => `
  SELECT coalesce(sum(amount_minor) FILTER (WHERE a.kind = 'prepaid-balance'), 0)::bigint AS "amountMinor",
         -(sum(amount_minor) FILTER (WHERE a.kind = 'card-clearing'))::bigint AS "cardGross",
         coalesce(sum(amount_minor) FILTER (WHERE a.kind = 'vat-payable'), 0)::bigint AS vat
    FROM entries JOIN accounts a USING (account_id)
   WHERE entries.transaction_id = ${transaction}.transaction_id`;
const PAGE = `
  WITH newest AS MATERIALIZED (
    SELECT transaction_id, balance_after_minor FROM transactions
     WHERE ${OF_BOOK} AND CASE WHEN $7::bigint IS NULL THEN booked_at < $5 ELSE transaction_id = $7 END
     ORDER BY booked_at DESC, transaction_id DESC LIMIT 1
  ), bounds AS MATERIALIZED (
    SELECT coalesce((SELECT balance_after_minor FROM transactions
                      WHERE ${OF_BOOK} AND booked_at < $4
                      ORDER BY booked_at DESC, transaction_id DESC LIMIT 1), 0) AS opening,
           coalesce((SELECT balance_after_minor FROM newest), CASE WHEN $7 IS NULL THEN 0 END) AS closing,
           coalesce((SELECT transaction_id FROM newest), 0) AS newest,
           CASE WHEN $8::bigint IS NULL THEN $5::timestamptz
                ELSE (SELECT booked_at FROM transactions WHERE ${OF_BOOK} AND transaction_id = $8)
           END AS after_at
  ), page AS (
    SELECT transactions.* FROM bounds CROSS JOIN LATERAL (
      SELECT * FROM transactions
       WHERE ${ASKED} AND (booked_at, transaction_id) < (bounds.after_at, coalesce($8::bigint, 0))
       ORDER BY booked_at DESC, transaction_id DESC LIMIT $9
    ) transactions
  )
  SELECT bounds.opening, bounds.closing, bounds.newest, bounds.after_at::text, page.transaction_id AS "transactionId", page.booked_at AS "bookedAt",
         page.kind, page.cause, page.offer_id::float8 AS "offerId",
         CASE page.kind WHEN 'group-card-payment' THEN split_part(page.cause, ' ', 2)::float8 END AS "groupId",
         coalesce(payments.title, invoices.title) AS title, page.balance_after_minor AS "balanceMinor", moved.*
    FROM bounds
    LEFT JOIN page ON true
    LEFT JOIN payments ON payments.offer_id = page.offer_id
    -- Of a group, which has no single offer.
    LEFT JOIN invoices ON invoices.cause = page.cause
    LEFT JOIN LATERAL (${movedBy('page')}) moved ON true
   ORDER BY page.booked_at DESC, page.transaction_id DESC`;
const SUMS = `
  SELECT count(*)::float8 AS entries, coalesce(sum("amountMinor") FILTER (WHERE "amountMinor" > 0), 0)::bigint AS "addedMinor",
         coalesce(sum("amountMinor") FILTER (WHERE "amountMinor" < 0), 0)::bigint AS "deductedMinor",
         sum("cardGross")::bigint AS "cardGross", coalesce(sum(vat) FILTER (WHERE "cardGross" IS NOT NULL), 0)::bigint AS vat
    FROM (SELECT transaction_id FROM transactions WHERE ${ASKED} AND transaction_id <= $7 LIMIT $8) lines
    CROSS JOIN LATERAL (${movedBy('lines')}) moved`;

type Bounds = { opening: bigint; closing: bigint | null; newest: bigint; after_at: string | null };
type OfCard = { readonly cardGross: bigint | null; readonly vat: bigint };
type Line = Omit<StatementLine, 'card'> & OfCard;
/** An empty page has only the bounds. */
type PageRow = Bounds & (Line | { transactionId: null });

function hasLine(row: PageRow): row is Bounds & Line {
  return row.transactionId !== null;
}

function lineOf({ cardGross, vat, ...line }: Line): StatementLine {
  return { ...line, card: cardIn({ cardGross, vat }) };
}

function cardIn({ cardGross, vat }: OfCard): StatementLine['card'] {
  return cardGross === null ? null : { netMinor: cardGross - vat, vatMinor: vat };
}
