/**
 * The ledger in Postgres: posts transactions, tells about balances and stores thresholds. The check that recomputes everything is in
 * ledger-check-store.ts.
 */
import { type BalanceCredited, BalanceLow, type BalanceToppedUp } from '@offer-ads/contracts/events/billing';
import type { EventData } from '@offer-ads/contracts/events/event-declaration';
import { newEvent } from '@offer-ads/platform/messaging/events';
import { addToOutbox, tellOutbox } from '@offer-ads/platform/messaging/outbox';
import type { PreparedStatement, Queryable, Transaction } from '@offer-ads/platform/postgres/postgres';
import {
  accountKindsIn,
  type Book,
  balanceChange,
  entriesOf,
  isSameBook,
  type LedgerTransaction,
} from '../domain/ledger/ledger.ts';
import { type BookRow, bookOf } from './book-row.ts';

/** A prepaid balance in minor units. Without a threshold (null) there are no notices about a low balance. */
export type Balance = { readonly minor: bigint; readonly lowThresholdMinor: bigint | null };

export type Posted = {
  readonly ok: true;
  readonly transactionId: bigint;
  /** The prepaid balance after the transaction, even if the transaction does not change it. */
  readonly balanceMinor: bigint;
};
export type PostOutcome = Posted | { readonly ok: false; readonly reason: 'balance-too-low' };

type PostRow = {
  accounts: bigint;
  transaction_id: bigint | null;
  balance_minor: bigint | null;
  is_low_told: boolean;
};

/**
 * $1 to $11 are the transaction. One SQL statement does everything, so that a busy balance is locked only from this statement to the commit.
 * The notice $10 is published by the transaction that takes the balance from its threshold or above to below it (decision 61, when
 * BalanceLow is sent); $11 is the change that it tells of.
 * @param also further parts of the statement, which see what was posted in `booked`
 */
export const postingSql = (also = '') => `
  WITH entry AS MATERIALIZED (
    SELECT account_id, kind, amount_minor
      FROM unnest($6::text[], $7::bigint[]) AS change (kind, amount_minor)
      JOIN accounts USING (kind)
     WHERE organisation_id = $1 AND mode = $2 AND currency = $3
  ), complete AS MATERIALIZED (
    SELECT count(*) AS accounts, count(*) = cardinality($6::text[]) AS all_open,
           coalesce(sum(amount_minor) FILTER (WHERE kind = 'prepaid-balance'), 0)::bigint AS change
      FROM entry
  ), moved AS (
    UPDATE balances
       SET balance_minor = balance_minor + change, last_booked_at = greatest(last_booked_at, $8)
      FROM complete, accounts
     WHERE organisation_id = $1 AND mode = $2 AND currency = $3 AND kind = 'prepaid-balance'
       AND balances.account_id = accounts.account_id AND complete.all_open
       AND (change >= 0 OR balance_minor + change >= 0)
    RETURNING change, balance_minor, low_threshold_minor, last_booked_at
  ), booked AS (
    INSERT INTO transactions
      (cause, kind, organisation_id, mode, currency, offer_id, booked_at, balance_after_minor)
    SELECT $4, $9, $1, $2, $3, $5, last_booked_at, balance_minor FROM moved
    RETURNING transaction_id
  ), written AS (
    INSERT INTO entries (transaction_id, account_id, amount_minor)
    SELECT transaction_id, account_id, amount_minor FROM booked, entry
  ), told AS (
    INSERT INTO outbox (event)
    SELECT notice || jsonb_build_object('subjectVersion', transaction_id, 'data', notice->'data' || jsonb_build_object(
             'balanceMinor', balance_minor::text, 'thresholdMinor', low_threshold_minor::text))
      FROM moved, booked, (VALUES ($10::jsonb)) AS low (notice)
     WHERE balance_minor < low_threshold_minor AND balance_minor - $11::bigint >= low_threshold_minor
    RETURNING position
  )${also}
  SELECT accounts, transaction_id, balance_minor, EXISTS (SELECT FROM told) AS is_low_told
    FROM complete LEFT JOIN booked ON true LEFT JOIN moved ON true`;

const plainPosting: Posting = { statement: { name: 'post', sql: postingSql() }, values: [] };

/** `values`: of the further parts of the statement, from $12 on. */
export type Posting = { readonly statement: PreparedStatement; readonly values: readonly unknown[] };

/**
 * Posts the whole transaction or nothing: charges, card payments, top-ups, credits and reversals all go this way. Every transaction locks its
 * balance, even if it does not change it, and gets its id, its time and the balance while it holds the lock. Within a book, ids therefore
 * grow in the order of commits and times never go back, so the organisation's list of transactions (src/statement) is exact.
 * @param told the change after which BalanceLow is sent, of several transactions that are posted together; 0: it is not sent
 * @throws the error of the unique constraint if the cause was posted before
 */
export async function postTransaction(
  on: Queryable,
  transaction: LedgerTransaction,
  at: Date,
  { statement, values } = plainPosting,
  told = balanceChange(transaction),
): Promise<PostOutcome> {
  const entries = entriesOf(transaction);
  const { book } = transaction;
  const notice = JSON.stringify(lowBalanceNotice(book, at));
  const attempt = async () => {
    const [row] = await on.query<PostRow>(statement, [
      book.organisationId,
      book.mode,
      book.currency,
      transaction.cause,
      transaction.offerId,
      entries.map((entry) => entry.account),
      entries.map((entry) => entry.amountMinor),
      at,
      transaction.kind,
      notice,
      told,
      ...values,
    ]);
    if (row === undefined) throw new Error(`posting "${transaction.cause}" gave no row`);
    return row;
  };
  let row = await attempt();
  if (row.accounts !== BigInt(entries.length)) {
    await openAccounts(on, book);
    row = await attempt();
  }
  const { transaction_id: transactionId, balance_minor: balanceMinor } = row;
  if (transactionId === null || balanceMinor === null) return { ok: false, reason: 'balance-too-low' };
  if (row.is_low_told) tellOutbox(on);
  return { ok: true, transactionId, balanceMinor };
}

/** Only the statement that posts knows the transaction's number, the balance and the threshold, and fills them in. */
function lowBalanceNotice(book: Book, at: Date) {
  const data = { ...book, balanceMinor: '0', thresholdMinor: '0' };
  return newEvent(BalanceLow, { subject: balanceName(book), subjectVersion: 0, at, data });
}

type BalanceEvent = typeof BalanceCredited | typeof BalanceToppedUp;

/** Publishes an event about a balance. Its version is the number of the ledger transaction, which grows with every posting. */
export async function announceBalance<E extends BalanceEvent>(
  tx: Transaction,
  event: E,
  { book, posted, at }: { readonly book: Book; readonly posted: Posted; readonly at: Date },
  facts: Omit<EventData<E>, keyof Book | 'balanceMinor'>,
): Promise<void> {
  await addToOutbox(tx, [
    newEvent(event, {
      subject: balanceName(book),
      subjectVersion: Number(posted.transactionId),
      at,
      data: { ...book, balanceMinor: `${posted.balanceMinor}`, ...facts } as EventData<E>,
    }),
  ]);
}

/** The subject of events, and the key by which charges of one balance wait for each other. */
export function balanceName({ organisationId, mode, currency }: Book): string {
  return `balance/${organisationId}/${mode}/${currency}`;
}

/** For a transaction that takes nothing from the balance. It is never refused, so a refusal is a bug. */
export async function postOrThrow(
  tx: Transaction,
  transaction: LedgerTransaction,
  at: Date,
  told?: bigint,
): Promise<Posted> {
  const posted = await postTransaction(tx, transaction, at, plainPosting, told);
  if (!posted.ok) throw new Error(`${transaction.cause}: refused`);
  return posted;
}

/** Accounts are created on first use (architecture, rule 10), so that no command has to wait for the event that registers the organisation. */
async function openAccounts(on: Queryable, { organisationId, mode, currency }: Book): Promise<void> {
  await on.query(
    `WITH opened AS (
       INSERT INTO accounts (organisation_id, mode, currency, kind)
       SELECT $1, $2, $3, unnest($4::text[])
       ON CONFLICT DO NOTHING
       RETURNING account_id, kind
     )
     INSERT INTO balances (account_id) SELECT account_id FROM opened WHERE kind = 'prepaid-balance'`,
    [organisationId, mode, currency, accountKindsIn(mode)],
  );
}

/** 0 if nothing was ever posted. */
export async function balanceOf(on: Queryable, book: Book): Promise<bigint> {
  return (await findBalance(on, book)).minor;
}

const FIND_BALANCE = `
  SELECT balance_minor, low_threshold_minor FROM balances JOIN accounts USING (account_id)
   WHERE organisation_id = $1 AND mode = $2 AND currency = $3 AND kind = 'prepaid-balance'`;

export async function findBalance(on: Queryable, book: Book, sql = FIND_BALANCE): Promise<Balance> {
  const [row] = await on.query<BalanceRow>(sql, [book.organisationId, book.mode, book.currency]);
  return row === undefined ? { minor: 0n, lowThresholdMinor: null } : balanceIn(row);
}

/** Until the transaction ends, nothing else is posted for this book. */
export async function lockBalance(tx: Transaction, book: Book): Promise<bigint> {
  return (await findBalance(tx, book, `${FIND_BALANCE} FOR UPDATE OF balances`)).minor;
}

/** The balance below which the organisation wants a notice. Stored even if nothing was posted yet. */
export async function setLowThreshold(
  tx: Transaction,
  book: Book,
  thresholdMinor: bigint | null,
): Promise<Balance> {
  const attempt = () =>
    tx.query<BalanceRow>(
      `UPDATE balances SET low_threshold_minor = $4 FROM accounts
        WHERE balances.account_id = accounts.account_id
          AND organisation_id = $1 AND mode = $2 AND currency = $3 AND kind = 'prepaid-balance'
       RETURNING balance_minor, low_threshold_minor`,
      [book.organisationId, book.mode, book.currency, thresholdMinor],
    );
  let [row] = await attempt();
  if (row === undefined) {
    await openAccounts(tx, book);
    [row] = await attempt();
  }
  if (row === undefined) throw new Error(`no balance to store the threshold of ${JSON.stringify(book)}`);
  return balanceIn(row);
}

type BalanceRow = { balance_minor: bigint; low_threshold_minor: bigint | null };

function balanceIn(row: BalanceRow): Balance {
  return { minor: row.balance_minor, lowThresholdMinor: row.low_threshold_minor };
}

/**
 * Takes an advisory lock until this database transaction ends, so that a check and the posting after it are one step. Only callers that
 * lock the same key wait for each other; posting alone does not wait.
 */
export async function lockPostings(tx: Transaction, key: string): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [key]);
}

/** Whether this cause was posted before, and if so, whether with the same book and the same change of the balance. */
export async function compareWithPosted(
  on: Queryable,
  transaction: LedgerTransaction,
): Promise<'none' | 'same' | 'different'> {
  const [row] = await on.query<BookRow & { balance_change: bigint | null }>(
    `SELECT t.organisation_id, t.mode, t.currency,
            sum(amount_minor) FILTER (WHERE accounts.kind = 'prepaid-balance')::bigint AS balance_change
       FROM transactions t JOIN entries USING (transaction_id) JOIN accounts USING (account_id)
      WHERE cause = $1
      GROUP BY t.transaction_id`,
    [transaction.cause],
  );
  if (row === undefined) return 'none';
  const isSame =
    isSameBook(bookOf(row), transaction.book) && row.balance_change === balanceChange(transaction);
  return isSame ? 'same' : 'different';
}
