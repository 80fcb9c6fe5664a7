/**
 * `ledger check`: recomputes every figure from the entries, and compares it with the offers' own rows and with the invoices. It reads the
 * ledger in steps, so that neither its statements nor its memory grow with the ledger.
 */
import type { LedgerCheckReply } from '@offer-ads/contracts/admin/billing-api';
import type { Queryable } from '@offer-ads/platform/postgres/postgres';
import { cardChecks } from './card-check-store.ts';
import { invoiceChecks } from './invoice-check-store.ts';
import { checkOfAll, checkOfStep, type RecordCheck } from './record-check.ts';

/** Each step takes a tenth to a half of a second on a busy machine; the limit for a statement is two seconds. */
const transactionsPerStep = 2_500;
const rowsPerStep = 5_000;
/** The check stops at this number: a person needs only the first problems, and the reply stays readable. */
const maxProblems = 1_000;
const maxId = 2n ** 63n - 1n;

export type LedgerCheckSize = {
  /** Examines only transactions after this one with the records and invoices that they are of, and all balances. By default everything. */
  readonly provenUpTo?: bigint | undefined;
  /** The last transaction to be examined; by default the newest one. */
  readonly upTo?: bigint;
  readonly transactionsAtOnce?: number;
  readonly rowsAtOnce?: number;
  /** Stops the check between two steps. */
  readonly signal?: AbortSignal | undefined;
};

/**
 * Each step is one statement and sees one snapshot. The rows that it compares are always written in one transaction. No transaction stays
 * open between steps: a migration would have to wait for it, and every charge would wait for the migration. Rows that were read do not
 * change, and new transactions are always the last of their book, so the check may miss them but never reports them wrongly.
 */
export async function checkLedger(on: Queryable, o: LedgerCheckSize = {}): Promise<LedgerCheckReply> {
  // A record of two transactions may be examined twice.
  const problems = new Set<string>();
  let transactions = 0;
  for await (const step of o.provenUpTo === undefined ? stepsOfAll(on, o) : stepsOfNew(on, o, o.provenUpTo)) {
    o.signal?.throwIfAborted();
    transactions += step.transactions ?? 0;
    for (const problem of step.problems) problems.add(problem);
    if (problems.size >= maxProblems) return cutShort(transactions, [...problems]);
  }
  return { ok: problems.size === 0, transactions, problems: [...problems] };
}

function cutShort(transactions: number, problems: readonly string[]): LedgerCheckReply {
  const shown = problems.slice(0, maxProblems);
  return { ok: false, transactions, problems: [...shown, `the check stopped at ${maxProblems} problems`] };
}

type Step = { readonly transactions?: number; readonly problems: readonly string[] };

async function* stepsOfAll(on: Queryable, o: LedgerCheckSize): AsyncGenerator<Step> {
  yield* transactionSteps(on, o, 0n);
  for (const check of [balancesCheck, ...recordChecks]) yield* rowSteps(on, checkOfAll(check), o);
}

async function* stepsOfNew(on: Queryable, o: LedgerCheckSize, provenUpTo: bigint): AsyncGenerator<Step> {
  let place = provenUpTo;
  for await (const step of transactionSteps(on, o, provenUpTo)) {
    yield step;
    for (const check of recordChecks) {
      const [row] = await on.query<RowStep>(checkOfStep(check), [place, step.last]);
      yield { problems: row?.problems ?? [] };
    }
    place = step.last;
  }
  yield* rowSteps(on, checkOfAll(balancesCheck), o);
}

/** Examines the transactions after `provenUpTo` in the order of their ids. */
async function* transactionSteps(
  on: Queryable,
  { upTo = maxId, transactionsAtOnce: size = transactionsPerStep }: LedgerCheckSize,
  provenUpTo: bigint,
): AsyncGenerator<Step & { readonly last: bigint }> {
  let place = provenUpTo;
  for (;;) {
    const [step] = await on.query<{ last: bigint | null; transactions: bigint; problems: string[] }>(
      transactionsCheck,
      [place, upTo, size],
    );
    if (step === undefined || step.last === null) return;
    const transactions = Number(step.transactions);
    yield { last: step.last, transactions, problems: step.problems };
    if (transactions < size) return;
    place = step.last;
  }
}

/**
 * Returns one row: the last transaction of the step, how many were examined, and their problems. A transaction's balance is compared with
 * that of the transaction before it in its book, which an earlier step or check has examined.
 */
const transactionsCheck = `
  WITH step AS MATERIALIZED (
    SELECT transaction_id, cause, kind, organisation_id, mode, currency, booked_at, balance_after_minor, offer_id
      FROM transactions WHERE transaction_id > $1 AND transaction_id <= $2 ORDER BY transaction_id LIMIT $3
  ), examined AS MATERIALIZED (
    SELECT step.*, totals.*, coalesce(earlier.balance_after_minor, 0) AS balance_before, later.transaction_id AS next_id
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
      LEFT JOIN LATERAL (
        SELECT t.balance_after_minor FROM transactions t
         WHERE (t.organisation_id, t.mode, t.currency) = (step.organisation_id, step.mode, step.currency)
           AND (t.booked_at, t.transaction_id) < (step.booked_at, step.transaction_id)
         ORDER BY t.booked_at DESC, t.transaction_id DESC LIMIT 1
      ) earlier ON true
      LEFT JOIN LATERAL (
        SELECT t.transaction_id FROM transactions t
         WHERE (t.organisation_id, t.mode, t.currency) = (step.organisation_id, step.mode, step.currency)
           AND (t.booked_at, t.transaction_id) > (step.booked_at, step.transaction_id)
         ORDER BY t.booked_at, t.transaction_id LIMIT 1
      ) later ON true
  ), wrong AS (
    SELECT transaction_id, format('transaction %s has no entries', transaction_id) AS problem
      FROM examined WHERE entries = 0
    UNION ALL
    SELECT transaction_id, format('transaction %s sums to %s in %s', transaction_id, total, currency)
      FROM examined WHERE total <> 0
    UNION ALL
    SELECT transaction_id, format('transaction %s has an entry in a book that is not its own', transaction_id)
      FROM examined WHERE NOT one_book
    UNION ALL
    SELECT transaction_id, format('transaction %s says that it left a balance of %s, but %s and its change of %s make %s',
                                  transaction_id, balance_after_minor, balance_before, change, balance_before + change)
      FROM examined WHERE balance_after_minor <> balance_before + change
    UNION ALL
    SELECT transaction_id, format('transaction %s has an earlier time than transaction %s, which was booked before it',
                                  transaction_id, next_id)
      FROM examined WHERE next_id < transaction_id
    UNION ALL
    SELECT transaction_id, format('transaction %s is of offer %s, which has no record', transaction_id, offer_id)
      FROM examined
     WHERE offer_id IS NOT NULL
       AND NOT EXISTS (SELECT FROM offer_payments p WHERE p.offer_id = examined.offer_id)
    UNION ALL
    SELECT transaction_id, format('transaction %s is of "%s", which has no record', transaction_id, cause)
      FROM examined
     WHERE kind IN ('card-refund', 'card-refund-failed', 'card-dispute', 'card-dispute-won')
       AND NOT EXISTS (SELECT FROM card_reversals r WHERE r.reversal_id = split_part(cause, ' ', 2))
    UNION ALL
    SELECT transaction_id, format('transaction %s is of "%s", which has no record', transaction_id, cause)
      FROM examined
     WHERE kind IN ('card-settlement', 'card-settlement-returned')
       AND NOT EXISTS (
         SELECT FROM card_settlements s WHERE examined.cause IN (s.cause, s.returned_cause)
       )
    UNION ALL
    SELECT transaction_id, format('"%s" has no invoice', cause)
      FROM examined
     WHERE kind IN ('offer-card-payment', 'card-top-up') AND NOT EXISTS (SELECT FROM invoices i WHERE i.cause = examined.cause)
    UNION ALL
    -- Play money is never mixed with paid money, and only play-money transactions use its account.
    SELECT transaction_id, format('transaction %s of kind %s takes %s from play money in %s mode',
                                  transaction_id, kind, played, mode)
      FROM examined
     WHERE (played <> 0) <> (kind = 'play-money') OR (played <> 0 AND (mode <> 'TEST' OR entries <> 2 OR played <> change))
  )
  SELECT max(transaction_id) AS last, count(*) AS transactions,
         ARRAY (SELECT problem FROM wrong ORDER BY transaction_id) AS problems
    FROM examined`;

type RowStep = { last: bigint | null; problems: string[] | null };

/** Runs a check of all records, step by step. */
async function* rowSteps(
  on: Queryable,
  check: string,
  { rowsAtOnce = rowsPerStep }: LedgerCheckSize,
): AsyncGenerator<Step> {
  for (let place = 0n; ; ) {
    const [step] = await on.query<RowStep>(check, [place, rowsAtOnce]);
    if (step === undefined || step.last === null) return;
    yield { problems: step.problems ?? [] };
    place = step.last;
  }
}

/** The balance of a book equals the balance after its last transaction, which the steps have checked from zero. */
const balancesCheck: Omit<RecordCheck, 'ofStep'> = {
  table: `(SELECT * FROM accounts WHERE kind = 'prepaid-balance') prepaid`,
  id: 'account_id',
  problemsOf: (records) => `
  SELECT account_id AS place,
         CASE WHEN balance_minor IS NULL OR balance_minor < 0 OR balance_minor <> coalesce(left_minor, 0)
              THEN format('balance of account %s is %s, its last transaction left %s',
                          account_id, balance_minor, coalesce(left_minor, 0)) END AS problem
    FROM (${records}) a
    LEFT JOIN balances USING (account_id)
    LEFT JOIN LATERAL (
      SELECT balance_after_minor AS left_minor FROM transactions t
       WHERE (t.organisation_id, t.mode, t.currency) = (a.organisation_id, a.mode, a.currency)
       ORDER BY booked_at DESC, transaction_id DESC LIMIT 1
    ) latest ON true`,
};

/** Compares the sales and credits of an offer in the ledger with the offer's own row. */
const offersCheck: RecordCheck = {
  table: 'offer_payments',
  id: 'offer_id',
  ofStep: 'SELECT offer_id FROM step',
  problemsOf: (records) => `
  SELECT offer_id AS place,
         CASE WHEN sold_by_record <> sold OR credited_minor <> credited
              THEN format('offer %s: its record says %s paid and %s credited, the ledger %s and %s',
                          offer_id, sold_by_record, credited_minor, sold, credited) END AS problem
    FROM (
      SELECT *, CASE WHEN paid_at IS NULL THEN 0 ELSE net_minor END AS sold_by_record
        FROM (${records}) offer
    ) record
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(amount_minor) FILTER (WHERE a.kind = 'sales'), 0) AS sold,
             coalesce(-sum(amount_minor) FILTER (WHERE a.kind = 'unused-time-credits'), 0) AS credited
        FROM transactions t JOIN entries USING (transaction_id) JOIN accounts a USING (account_id)
       WHERE t.offer_id = record.offer_id
         AND (t.organisation_id, t.mode, t.currency) = (record.organisation_id, record.mode, record.currency)
    ) booked`,
};

const recordChecks = [offersCheck, ...cardChecks, ...invoiceChecks];
