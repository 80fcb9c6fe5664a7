/**
 * `ledger check`: recomputes every figure from the entries, and compares it with the offers' own rows and with the invoices. It reads the
 * ledger in steps, so that neither its statements nor its memory grow with the ledger.
 */
import type { LedgerCheckReply } from '@offer-ads/contracts/admin/billing-api';
import type { Queryable } from '@offer-ads/platform/postgres/postgres';
import { cardChecks } from './card-check-store.ts';
import { invoiceChecks } from './invoice-check-store.ts';

/** Each step takes a quarter of a second on a busy machine; the limit for a statement is two seconds. */
const transactionsPerStep = 5_000;
const rowsPerStep = 5_000;
/** The check stops at this number: a person needs only the first problems, and the reply stays readable. */
const maxProblems = 1_000;

/**
 * Each step is one statement and sees one snapshot. The rows that it compares are always written in one transaction. No transaction stays
 * open between steps: a migration would have to wait for it, and every charge would wait for the migration. Rows that were read do not
 * change, and new transactions are always the last of their book, so the check may miss them but never reports them wrongly.
 */
export async function checkLedger(
  on: Queryable,
  o: {
    readonly transactionsAtOnce?: number;
    readonly rowsAtOnce?: number;
    /** Stops the check between two steps. */
    readonly signal?: AbortSignal | undefined;
  } = {},
): Promise<LedgerCheckReply> {
  const { transactionsAtOnce = transactionsPerStep, rowsAtOnce = rowsPerStep, signal } = o;
  const problems: string[] = [];
  let transactions = 0;
  for await (const step of transactionSteps(on, transactionsAtOnce)) {
    signal?.throwIfAborted();
    transactions += step.transactions;
    problems.push(...step.problems);
    if (problems.length >= maxProblems) return cutShort(transactions, problems);
  }
  for (const check of [balancesCheck, offersCheck, ...cardChecks, ...invoiceChecks]) {
    for await (const found of rowSteps(on, check, rowsAtOnce)) {
      signal?.throwIfAborted();
      problems.push(...found);
      if (problems.length >= maxProblems) return cutShort(transactions, problems);
    }
  }
  return { ok: problems.length === 0, transactions, problems };
}

function cutShort(transactions: number, problems: readonly string[]): LedgerCheckReply {
  const shown = problems.slice(0, maxProblems);
  return { ok: false, transactions, problems: [...shown, `the check stopped at ${maxProblems} problems`] };
}

/** The position of a transaction in the order of `transactionSteps`: book by book, and in each book by time. */
type Place = readonly [
  organisationId: bigint,
  mode: string,
  currency: string,
  bookedAt: string,
  transactionId: bigint,
];
type StepRow = {
  organisation_id: bigint;
  mode: string;
  currency: string;
  /** As text, because the database's times are more precise than a Date. */
  booked_at: string;
  transaction_id: bigint;
  transactions: bigint;
  problems: string[];
};

/**
 * Reads book after book, and the transactions of each by time. A step begins with the last transaction of the step before. That one is not
 * checked again; its balance is the starting point for the next one.
 */
async function* transactionSteps(
  on: Queryable,
  size: number,
): AsyncGenerator<{ transactions: number; problems: readonly string[] }> {
  let place: Place = [0n, '', '', '-infinity', 0n];
  for (let isFirst = true; ; isFirst = false) {
    const [last] = await on.query<StepRow>(transactionsCheck, [...place, size + 1, isFirst]);
    if (last === undefined) return;
    const transactions = Number(last.transactions);
    yield { transactions, problems: last.problems };
    if (transactions < size) return;
    place = [last.organisation_id, last.mode, last.currency, last.booked_at, last.transaction_id];
  }
}

/** Returns one row: the last transaction of the step, how many were checked, and their problems. */
const transactionsCheck = `
  WITH step AS MATERIALIZED (
    SELECT transaction_id, cause, kind, organisation_id, mode, currency, booked_at, balance_after_minor, offer_id
      FROM transactions
     WHERE (organisation_id, mode, currency, booked_at, transaction_id)
        >= ($1::bigint, $2::text, $3::text, $4::timestamptz, $5::bigint)
     ORDER BY organisation_id, mode, currency, booked_at, transaction_id
     LIMIT $6
  ), recomputed AS (
    SELECT step.*, totals.*,
           row_number() OVER all_books AS row_in_step,
           lag(transaction_id) OVER book AS previous_id,
           lag(balance_after_minor, 1, 0::bigint) OVER book AS balance_before
      FROM step
      CROSS JOIN LATERAL (
        SELECT count(*) AS entries,
               coalesce(sum(amount_minor), 0) AS total,
               coalesce(sum(amount_minor) FILTER (WHERE kind = 'prepaid-balance'), 0) AS change,
               coalesce(-sum(amount_minor) FILTER (WHERE kind = 'play-money'), 0) AS played,
               coalesce(bool_and((a.organisation_id, a.mode, a.currency)
                               = (step.organisation_id, step.mode, step.currency)), true) AS one_book
          FROM entries JOIN accounts a USING (account_id)
         WHERE entries.transaction_id = step.transaction_id
      ) totals
    WINDOW all_books AS (ORDER BY organisation_id, mode, currency, booked_at, transaction_id),
           book AS (PARTITION BY organisation_id, mode, currency ORDER BY booked_at, transaction_id)
  ), examined AS (
    SELECT * FROM recomputed WHERE $7 OR row_in_step > 1
  ), wrong AS (
    SELECT row_in_step, format('transaction %s has no entries', transaction_id) AS problem
      FROM examined WHERE entries = 0
    UNION ALL
    SELECT row_in_step, format('transaction %s sums to %s in %s', transaction_id, total, currency)
      FROM examined WHERE total <> 0
    UNION ALL
    SELECT row_in_step, format('transaction %s has an entry in a book that is not its own', transaction_id)
      FROM examined WHERE NOT one_book
    UNION ALL
    SELECT row_in_step, format('transaction %s says that it left a balance of %s, but %s and its change of %s make %s',
                               transaction_id, balance_after_minor, balance_before, change, balance_before + change)
      FROM examined WHERE balance_after_minor <> balance_before + change
    UNION ALL
    SELECT row_in_step, format('transaction %s has an earlier time than transaction %s, which was booked before it',
                               previous_id, transaction_id)
      FROM examined WHERE previous_id > transaction_id
    UNION ALL
    SELECT row_in_step, format('transaction %s is of offer %s, which has no record', transaction_id, offer_id)
      FROM examined
     WHERE offer_id IS NOT NULL
       AND NOT EXISTS (SELECT FROM offer_payments p WHERE p.offer_id = examined.offer_id)
    UNION ALL
    SELECT row_in_step, format('transaction %s is of "%s", which has no record', transaction_id, cause)
      FROM examined
     WHERE kind IN ('card-refund', 'card-refund-failed', 'card-dispute', 'card-dispute-won')
       AND NOT EXISTS (SELECT FROM card_reversals r WHERE r.reversal_id = split_part(cause, ' ', 2))
    UNION ALL
    SELECT row_in_step, format('transaction %s is of "%s", which has no record', transaction_id, cause)
      FROM examined
     WHERE kind IN ('card-settlement', 'card-settlement-returned')
       AND NOT EXISTS (
         SELECT FROM card_settlements s WHERE examined.cause IN (s.cause, s.returned_cause)
       )
    UNION ALL
    -- Play money is never mixed with paid money, and only play-money transactions use its account.
    SELECT row_in_step, format('transaction %s of kind %s takes %s from play money in %s mode',
                               transaction_id, kind, played, mode)
      FROM examined
     WHERE (played <> 0) <> (kind = 'play-money') OR (played <> 0 AND (mode <> 'TEST' OR entries <> 2 OR played <> change))
  )
  SELECT organisation_id, mode, currency, booked_at::text, transaction_id,
         (SELECT count(*) FROM examined) AS transactions,
         ARRAY (SELECT problem FROM wrong ORDER BY row_in_step) AS problems
    FROM recomputed ORDER BY row_in_step DESC LIMIT 1`;

/**
 * Runs a check of one table, step by step. Its query returns the $2 rows with the next ids above $1: the id as `place`, and `problem`, null
 * for a correct row.
 */
async function* rowSteps(on: Queryable, check: string, size: number): AsyncGenerator<readonly string[]> {
  let place = 0n;
  for (;;) {
    const [step] = await on.query<{ last: bigint | null; problems: string[] | null }>(
      `SELECT max(place) AS last, array_agg(problem ORDER BY place) FILTER (WHERE problem IS NOT NULL) AS problems
         FROM (${check}) examined`,
      [place, size],
    );
    if (step === undefined || step.last === null) return;
    yield step.problems ?? [];
    place = step.last;
  }
}

/** The balance of a book equals the balance after its last transaction, which the steps have checked from zero. */
const balancesCheck = `
  SELECT account_id AS place,
         CASE WHEN balance_minor IS NULL OR balance_minor < 0 OR balance_minor <> coalesce(left_minor, 0)
              THEN format('balance of account %s is %s, its last transaction left %s',
                          account_id, balance_minor, coalesce(left_minor, 0)) END AS problem
    FROM (SELECT * FROM accounts WHERE kind = 'prepaid-balance' AND account_id > $1 ORDER BY account_id LIMIT $2) a
    LEFT JOIN balances USING (account_id)
    LEFT JOIN LATERAL (
      SELECT balance_after_minor AS left_minor FROM transactions t
       WHERE (t.organisation_id, t.mode, t.currency) = (a.organisation_id, a.mode, a.currency)
       ORDER BY booked_at DESC, transaction_id DESC LIMIT 1
    ) latest ON true`;

/** Compares the sales and credits of an offer in the ledger with the offer's own row. */
const offersCheck = `
  SELECT offer_id AS place,
         CASE WHEN sold_by_record <> sold OR credited_minor <> credited
              THEN format('offer %s: its record says %s paid and %s credited, the ledger %s and %s',
                          offer_id, sold_by_record, credited_minor, sold, credited) END AS problem
    FROM (
      SELECT *, CASE WHEN paid_at IS NULL THEN 0 ELSE net_minor END AS sold_by_record
        FROM offer_payments WHERE offer_id > $1 ORDER BY offer_id LIMIT $2
    ) record
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(amount_minor) FILTER (WHERE a.kind = 'sales'), 0) AS sold,
             coalesce(-sum(amount_minor) FILTER (WHERE a.kind = 'unused-time-credits'), 0) AS credited
        FROM transactions t JOIN entries USING (transaction_id) JOIN accounts a USING (account_id)
       WHERE t.offer_id = record.offer_id
         AND (t.organisation_id, t.mode, t.currency) = (record.organisation_id, record.mode, record.currency)
    ) booked`;
