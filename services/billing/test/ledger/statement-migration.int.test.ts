/** Ledgers from before statements: the migration gives each transaction the balance that it had left. */
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { migrate } from '@offer-ads/platform/postgres/migrations';
import { openPostgres, type Postgres } from '@offer-ads/platform/postgres/postgres';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { createEmptyDatabase } from '@offer-ads/testing/stores/database';
import { balanceToppedUp } from '../../src/domain/ledger/ledger.ts';
import { checkLedger } from '../../src/ledger/ledger-check-store.ts';
import { book } from '../../src/ledger/ledger-store.ts';
import { readStatement } from '../../src/statement/read-statement.ts';
import { STORE_PATIENCE_MS } from '../billing-under-test.ts';

const migrations = fileURLToPath(new URL('../../migrations', import.meta.url));
const started = new AsyncDisposableStack();
let postgres: Postgres;
let migrateOn: () => Promise<void>;

beforeAll(async () => {
  const { url, dispose } = await createEmptyDatabase();
  started.defer(dispose);
  const before = await mkdtemp(join(tmpdir(), 'migrations-'));
  started.defer(() => rm(before, { recursive: true }));
  const earlier = (await readdir(migrations)).filter((file) => file < '0007');
  await Promise.all(earlier.map((file) => cp(join(migrations, file), join(before, file))));
  await migrate({ url, directory: before });
  postgres = started.use(
    await openPostgres({
      url,
      logger: silentLogger,
      metrics: createMetrics('billing'),
      statementTimeoutMs: STORE_PATIENCE_MS,
    }),
  );
  migrateOn = () => migrate({ url, directory: migrations });
});
afterAll(() => started.disposeAsync());

/** As it was written then, without the columns of today. */
async function bookAsBefore(
  organisationId: number,
  cause: string,
  at: string,
  entries: Record<string, number>,
  offerId: number | null = null,
) {
  await postgres.transaction(async (tx) => {
    const [row] = await tx.query<{ transaction_id: bigint }>(
      `INSERT INTO transactions (cause, organisation_id, mode, currency, offer_id, booked_at)
       VALUES ($1, $2, 'TEST', 'GBP', $3, $4) RETURNING transaction_id`,
      [cause, organisationId, offerId, at],
    );
    for (const [kind, amount] of Object.entries(entries)) {
      await tx.query(
        `INSERT INTO entries SELECT $1, account_id, $2 FROM accounts WHERE organisation_id = $3 AND kind = $4`,
        [row?.transaction_id, amount, organisationId, kind],
      );
      if (kind === 'prepaid-balance')
        await tx.query(
          `UPDATE balances SET balance_minor = balance_minor + $1 FROM accounts
            WHERE balances.account_id = accounts.account_id AND organisation_id = $2`,
          [amount, organisationId],
        );
    }
  });
}

/** Invoices of what was paid before there were any are a matter of their own. */
async function checked() {
  const { transactions, problems } = await postgres.transaction((tx) => checkLedger(tx));
  return { transactions, problems: problems.filter((problem) => !problem.endsWith('has no invoice')) };
}

it('every transaction gets its kind and the balance after it, and two clocks that disagreed no longer do', async () => {
  for (const organisationId of [1, 2]) {
    await postgres.query(
      `INSERT INTO accounts (organisation_id, mode, currency, kind)
       SELECT $1, 'TEST', 'GBP', unnest(ARRAY['prepaid-balance', 'sales', 'vat-payable', 'card-clearing',
                                              'unused-time-credits', 'top-up-source'])`,
      [organisationId],
    );
  }
  await postgres.query(
    `INSERT INTO balances (account_id) SELECT account_id FROM accounts WHERE kind = 'prepaid-balance'`,
  );
  await postgres.query(
    `INSERT INTO offer_payments (offer_id, organisation_id, mode, currency, payment_method, state, title, net_minor,
       vat_minor, credited_minor, paid_at, pay_token, offer_expiry_at)
     VALUES (7, 1, 'TEST', 'GBP', 'B', 'charged', 'Seven', 300, 0, 100, now(), NULL, NULL),
            (8, 1, 'TEST', 'GBP', 'E', 'paid', 'Eight', 1000, 200, 0, now(), 'token', now())`,
  );
  const at = (second: number) => `2026-06-01T12:00:0${second}.000Z`;
  await bookAsBefore(1, 'top-up A', at(1), { 'prepaid-balance': 500, 'top-up-source': -500 });
  await bookAsBefore(2, 'top-up B', at(1), { 'prepaid-balance': 40, 'top-up-source': -40 });
  await bookAsBefore(1, 'offer 7 charged', at(5), { 'prepaid-balance': -300, sales: 300 }, 7);
  await bookAsBefore(
    1,
    'offer 8 paid by card',
    at(4),
    { 'card-clearing': -1200, sales: 1000, 'vat-payable': 200 },
    8,
  );
  await bookAsBefore(
    1,
    'offer 7 credited up to 100',
    at(3),
    { 'prepaid-balance': 100, 'unused-time-credits': -100 },
    7,
  );

  await migrateOn();

  expect(await checked()).toEqual({ transactions: 5, problems: [] });
  const one = { organisationId: 1, mode: 'TEST', currency: 'GBP' } as const;
  const { entries } = await readStatement(postgres, one, { limit: 10 });
  expect(entries.map((entry) => [entry.bookedAt, entry.kind, entry.amountMinor, entry.balanceMinor])).toEqual(
    [
      [at(5), 'unused-time-credit', '100', '300'],
      [at(5), 'offer-card-payment', '0', '200'],
      [at(5), 'offer-charge', '-300', '200'],
      [at(1), 'platform-top-up', '500', '500'],
    ],
  );

  // From here on as ever: append-only, and none before the last.
  await expect(postgres.query('UPDATE transactions SET cause = cause')).rejects.toMatchObject({
    constraint: 'ledger_is_append_only',
  });
  await postgres.transaction((tx) => book(tx, balanceToppedUp(one, 'C', 1n), new Date(at(2))));
  const [latest] = (await readStatement(postgres, one, { limit: 1 })).entries;
  expect(latest).toMatchObject({ bookedAt: at(5), cause: 'top-up C', balanceMinor: '301' });
  expect(await checked()).toEqual({ transactions: 6, problems: [] });
});

/** The one statement by which the version before statements booked, and still does while it is replaced. */
const bookingOfBefore = `
  WITH entry AS MATERIALIZED (
    SELECT account_id, kind, amount_minor
      FROM unnest($6::text[], $7::bigint[]) AS change (kind, amount_minor)
      JOIN accounts USING (kind)
     WHERE organisation_id = $1 AND mode = $2 AND currency = $3
  ), complete AS MATERIALIZED (
    SELECT count(*) AS accounts, count(*) = cardinality($6::text[]) AS yes,
           count(*) FILTER (WHERE kind = 'prepaid-balance') AS balances
      FROM entry
  ), moved AS (
    UPDATE balances
       SET balance_minor = balances.balance_minor + entry.amount_minor
      FROM entry, complete
     WHERE balances.account_id = entry.account_id AND entry.kind = 'prepaid-balance' AND complete.yes
       AND balances.balance_minor + entry.amount_minor >= 0
    RETURNING balances.balance_minor, balances.low_threshold_minor
  ), booked AS (
    INSERT INTO transactions (cause, organisation_id, mode, currency, offer_id, booked_at)
    SELECT $4, $1, $2, $3, $5, $8
      FROM complete
     WHERE complete.yes AND complete.balances = (SELECT count(*) FROM moved)
    RETURNING transaction_id
  ), written AS (
    INSERT INTO entries (transaction_id, account_id, amount_minor)
    SELECT transaction_id, account_id, amount_minor FROM booked, entry
  )
  SELECT accounts, transaction_id, balance_minor, low_threshold_minor
    FROM complete LEFT JOIN booked ON true LEFT JOIN moved ON true`;

it('replicas of the version before may book beside those of today: one order, one chain of balances', async () => {
  const two = { organisationId: 2, mode: 'TEST', currency: 'GBP' } as const;
  const before = (cause: string, entries: Record<string, number>, at: Date) =>
    postgres.transaction((tx) =>
      tx.query<{ balance_minor: bigint | null; transaction_id: bigint }>(bookingOfBefore, [
        two.organisationId,
        two.mode,
        two.currency,
        cause,
        null,
        Object.keys(entries),
        Object.values(entries),
        at,
      ]),
    );
  await Promise.all(
    Array.from({ length: 60 }, (_, place) => {
      const at = new Date(Date.parse('2026-07-01') - place * 1_000);
      if (place % 3 === 0) return before(`old ${place}`, { 'prepaid-balance': 7, 'top-up-source': -7 }, at);
      if (place % 3 === 1)
        return before(`offer x${place} paid by card`, { 'card-clearing': -5, sales: 5 }, at);
      return postgres.transaction((tx) => book(tx, balanceToppedUp(two, `new ${place}`, 3n), at));
    }),
  );
  expect((await checked()).problems).toEqual([]);
  const { entries, closingBalanceMinor } = await readStatement(postgres, two, { limit: 100 });
  expect(entries).toHaveLength(61);
  expect(closingBalanceMinor).toBe(`${40 + 20 * 7 + 20 * 3}`);
  expect(entries.filter((entry) => entry.kind === 'offer-card-payment')).toHaveLength(20);
});
