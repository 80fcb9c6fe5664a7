/** The cost of reading refunds and disputes among many payments, counted in rows, which do not depend on the machine. */
import { beforeAll, expect, it } from '@jest/globals';
import { type Queryable, sqlOf, type Transaction } from '@offer-ads/platform/postgres/postgres';
import { stepOf } from '../../src/ledger/ledger-check-store.ts';
import { ledgerChecks } from '../../src/ledger/ledger-checks.ts';
import { latestReversals } from '../../src/reversals/reversals-store.ts';
import { useBilling } from '../billing-under-test.ts';

const PAYMENTS = 4_000;
const BOOKS = 10;
const REVERSALS = 100;
const STEP = 20;

const test = useBilling();
beforeAll(async () => {
  await test.billing.postgres.transaction(putPayments);
  await test.billing.postgres.query('ANALYZE');
});

/** Each is posted; every 40th was refunded in part. */
async function putPayments({ query }: Transaction): Promise<void> {
  // Without triggers; the ledger is checked after the last test.
  await query('SET LOCAL session_replication_role = replica');
  await query(`INSERT INTO accounts (organisation_id, mode, currency, kind)
    SELECT book, 'LIVE', 'GBP', kind FROM generate_series(1, ${BOOKS}) book,
           unnest(ARRAY['prepaid-balance', 'sales', 'card-clearing', 'card-reversals']) kind`);
  await query(
    `INSERT INTO balances (account_id) SELECT account_id FROM accounts WHERE kind = 'prepaid-balance'`,
  );
  await query(`INSERT INTO payments
      (offer_id, organisation_id, mode, currency, payment_method, state, title, net_minor, vat_minor, paid_at, pay_token,
       expiry_at, paid_session_id, payment_intent_id, generation, session_begun_at, session_expires_at, spender,
       ordered_on)
    SELECT n, 1 + n % ${BOOKS}, 'LIVE', 'GBP', 'E', 'paid', '', 1000, 0, now(), n, now(), n, 'pi_' || n, 1, now(), now(), 'key/1', now()
      FROM generate_series(1, ${PAYMENTS}) n`);
  await query(`INSERT INTO card_reversals
      (reversal_id, kind, mode, payment_intent_id, amount_minor, currency, status, as_of, first_heard_at, taken, returned, succeeded,
       taken_booked)
    SELECT 're_' || n, 'refund', 'LIVE', 'pi_' || n * ${PAYMENTS / REVERSALS}, 100, 'GBP', 'succeeded', now(), now(), true, false, true, true
      FROM generate_series(1, ${REVERSALS}) n`);
  await query(`INSERT INTO transactions
      (cause, kind, organisation_id, mode, currency, offer_id, booked_at, balance_after_minor)
    SELECT 'offer ' || offer_id || ' paid by card', 'offer-card-payment', organisation_id, mode, currency, offer_id, now(), 0
      FROM payments
    UNION ALL
    SELECT 'refund ' || reversal_id || ' taken', 'card-refund', organisation_id, mode, currency, offer_id, now(), 0
      FROM card_reversals JOIN payments USING (payment_intent_id, mode, currency)`);
  await query(`INSERT INTO entries (transaction_id, account_id, amount_minor)
    SELECT transaction_id, account_id, amount
      FROM transactions t
      JOIN (VALUES ('offer-card-payment', 'card-clearing', -1000), ('offer-card-payment', 'sales', 1000),
                   ('card-refund', 'card-clearing', 100), ('card-refund', 'card-reversals', -100)) moved (kind, account, amount)
           USING (kind)
      JOIN accounts a ON a.kind = account AND (a.organisation_id, a.mode, a.currency) = (t.organisation_id, t.mode, t.currency)`);
  await query(`SELECT setval(pg_get_serial_sequence('transactions', 'transaction_id'), ${2 * PAYMENTS})`);
  await query(`INSERT INTO invoices
      (mode, sequence, cause, organisation_id, currency, kind, offer_id, net_minor, vat_minor, vat_percent, paid_at, issued_at,
       seller_name, seller_address, seller_vat_number)
    SELECT mode, offer_id, 'offer ' || offer_id || ' paid by card', organisation_id, currency, 'offer', offer_id, 1000, 0, 0, now(),
           now(), '', '', ''
      FROM payments`);
  await query(`INSERT INTO credit_notes (mode, sequence, cause, invoice, organisation_id, net_minor, vat_minor, issued_at)
    SELECT 'LIVE', row_number() OVER (ORDER BY offer_id), 'refund ' || reversal_id || ' taken', offer_id, organisation_id, 100, 0, now()
      FROM card_reversals JOIN payments USING (payment_intent_id)`);
}

type Plan = {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
};

/** The rows of all tables that the statements of `work` read. */
async function rowsReadBy(work: (on: Queryable) => Promise<unknown>): Promise<number> {
  let rows = 0;
  await work({
    query: async (statement, values) => {
      const [explained] = await test.billing.postgres.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
        `EXPLAIN (ANALYZE, FORMAT JSON) ${sqlOf(statement)}`,
        values,
      );
      for (const { Plan } of explained?.['QUERY PLAN'] ?? []) rows += rowsIn(Plan);
      return [];
    },
  });
  return rows;
}

function rowsIn(plan: Plan): number {
  const own = plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0);
  const isTable = plan['Relation Name'] !== undefined;
  return (
    (isTable ? own * plan['Actual Loops'] : 0) + (plan.Plans ?? []).reduce((sum, at) => sum + rowsIn(at), 0)
  );
}

it('a list of reversals does not read all payments', async () => {
  expect(await latestReversals(test.billing.postgres, STEP)).toHaveLength(STEP);
  expect(await rowsReadBy((on) => latestReversals(on, STEP))).toBeLessThan(PAYMENTS);
});

it.each(ledgerChecks.map((check) => [check.table, check] as const))(
  'a step of the ledger check does not read all payments: %s',
  async (_table, check) => {
    expect(await rowsReadBy((on) => on.query(stepOf(check), [0n, STEP]))).toBeLessThan(PAYMENTS);
  },
);
