/** `ledger check`: every figure recomputed from the entries, and compared with the offers' own records. */
import type { LedgerCheckReply } from '@offer-ads/contracts/admin-api';
import type { Transaction } from '@offer-ads/platform/postgres';

/** Each question selects what is wrong, one text a row; a sound ledger answers none of them. */
const questions = [
  `SELECT format('transaction %s sums to %s in %s', transaction_id, sum(amount_minor), a.currency) AS problem
     FROM entries JOIN accounts a USING (account_id)
    GROUP BY transaction_id, a.organisation_id, a.mode, a.currency HAVING sum(amount_minor) <> 0`,

  `SELECT format('transaction %s has an entry in a book that is not its own', transaction_id) AS problem
     FROM entries JOIN transactions t USING (transaction_id) JOIN accounts a USING (account_id)
    WHERE (a.organisation_id, a.mode, a.currency) <> (t.organisation_id, t.mode, t.currency)`,

  `SELECT format('transaction %s has no entries', transaction_id) AS problem
     FROM transactions t WHERE NOT EXISTS (SELECT FROM entries e WHERE e.transaction_id = t.transaction_id)`,

  `SELECT format('cause "%s" was booked %s times', cause, count(*)) AS problem
     FROM transactions GROUP BY cause HAVING count(*) > 1`,

  `SELECT format('balance of account %s is %s, its entries sum to %s', account_id, balance_minor, total) AS problem
     FROM accounts
     LEFT JOIN balances USING (account_id)
     LEFT JOIN (SELECT account_id, sum(amount_minor) AS total FROM entries GROUP BY account_id) e USING (account_id)
    WHERE kind = 'prepaid-balance' AND (balance_minor IS NULL OR balance_minor < 0 OR balance_minor <> coalesce(total, 0))`,

  // Sales and credits of an offer, as the ledger has them, against the offer's own record.
  `SELECT format('offer %s: its record says %s paid and %s credited, the ledger %s and %s',
                 offer_id, sold_by_record, credited_by_record, sold, credited) AS problem
     FROM (
       SELECT offer_id,
              CASE WHEN paid_at IS NULL THEN 0 ELSE net_minor END AS sold_by_record,
              credited_minor AS credited_by_record,
              coalesce(sold, 0) AS sold,
              coalesce(credited, 0) AS credited
         FROM offer_payments
         FULL JOIN (
           SELECT offer_id,
                  sum(amount_minor) FILTER (WHERE kind = 'sales') AS sold,
                  -sum(amount_minor) FILTER (WHERE kind = 'unused-time-credits') AS credited
             FROM transactions JOIN entries USING (transaction_id) JOIN accounts USING (account_id)
            WHERE offer_id IS NOT NULL
            GROUP BY offer_id
         ) booked USING (offer_id)
     ) compared
    WHERE sold_by_record IS DISTINCT FROM sold OR credited_by_record IS DISTINCT FROM credited`,
];

/** Run it in one repeatable-read transaction, so that all questions see the same moment. */
export async function checkLedger(tx: Transaction): Promise<LedgerCheckReply> {
  await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
  const [counted] = await tx.query<{ transactions: bigint }>(
    'SELECT count(*) AS transactions FROM transactions',
  );
  const problems: string[] = [];
  for (const question of questions) {
    const found = await tx.query<{ problem: string }>(question);
    problems.push(...found.map(({ problem }) => problem));
  }
  return { ok: problems.length === 0, transactions: Number(counted?.transactions ?? 0n), problems };
}
