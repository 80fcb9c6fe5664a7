import { describe, expect, it } from '@jest/globals';
import { BalanceToppedUp } from '@offer-ads/contracts/events/billing';
import { topUpBalance } from '../../src/balance/top-up-balance.ts';
import { accountKinds, balanceToppedUp } from '../../src/domain/ledger/ledger.ts';
import { balanceOf, postTransaction } from '../../src/ledger/ledger-store.ts';
import { useBilling } from '../billing-under-test.ts';

const test = useBilling();
const sql = (text: string, values: readonly unknown[] = []) => test.billing.postgres.query(text, values);

describe('the database', () => {
  it('refuses a transaction that does not sum to zero', async () => {
    await test.fundedBook();
    const unbalanced = test.billing.postgres.transaction(async (tx) => {
      const [row] = await tx.query<{ transaction_id: bigint }>(
        `INSERT INTO transactions (cause, kind, organisation_id, mode, currency, booked_at, balance_after_minor)
         SELECT 'unbalanced', 'card-refund', organisation_id, mode, currency, now(), 0
           FROM accounts LIMIT 1 RETURNING transaction_id`,
      );
      await tx.query(
        `INSERT INTO entries SELECT $1, account_id, CASE kind WHEN 'sales' THEN 100 ELSE -99 END
           FROM accounts WHERE kind IN ('sales', 'card-clearing') ORDER BY account_id LIMIT 2`,
        [row?.transaction_id],
      );
    });
    await expect(unbalanced).rejects.toMatchObject({ constraint: 'transaction_must_balance' });
  });

  it('refuses a transaction without entries, and entries that cross two organisations', async () => {
    const one = await test.fundedBook();
    const other = await test.fundedBook();
    const insert = `INSERT INTO transactions
                      (cause, kind, organisation_id, mode, currency, booked_at, balance_after_minor)
                    VALUES ($1, 'card-refund', $2, 'TEST', 'GBP', now(), 0) RETURNING transaction_id`;
    await expect(sql(insert, ['empty', one.organisationId])).rejects.toMatchObject({
      constraint: 'transaction_must_balance',
    });
    const crossing = test.billing.postgres.transaction(async (tx) => {
      const [row] = await tx.query<{ transaction_id: bigint }>(insert, ['crossing', one.organisationId]);
      await tx.query(
        `INSERT INTO entries SELECT $1, account_id, CASE organisation_id WHEN $2 THEN 5 ELSE -5 END
           FROM accounts WHERE kind = 'sales' AND organisation_id IN ($2, $3)`,
        [row?.transaction_id, one.organisationId, other.organisationId],
      );
    });
    await expect(crossing).rejects.toMatchObject({ constraint: 'transaction_must_balance' });
  });

  it('refuses an entry that is added to a posted transaction', async () => {
    const { organisationId } = await test.fundedBook();
    const added = sql(
      `INSERT INTO entries SELECT transaction_id, account_id, 1 FROM transactions JOIN accounts USING (organisation_id)
        WHERE organisation_id = $1 AND accounts.kind = 'sales'`,
      [organisationId],
    );
    await expect(added).rejects.toMatchObject({ constraint: 'transaction_must_balance' });
  });

  it('refuses transactions of one statement of which one does not balance, even if together they do', async () => {
    const { organisationId } = await test.fundedBook();
    const crossed = sql(
      `WITH booked AS (
         INSERT INTO transactions (cause, kind, organisation_id, mode, currency, booked_at, balance_after_minor)
         SELECT 'crossed ' || n, 'card-refund', $1, 'TEST', 'GBP', now(), 0 FROM generate_series(1, 2) n
         RETURNING transaction_id, cause
       )
       INSERT INTO entries
       SELECT transaction_id, account_id, CASE kind WHEN 'sales' THEN 5 ELSE CASE cause WHEN 'crossed 1' THEN -4 ELSE -6 END END
         FROM booked, accounts WHERE organisation_id = $1 AND accounts.kind IN ('sales', 'card-clearing')`,
      [organisationId],
    );
    await expect(crossed).rejects.toMatchObject({ constraint: 'transaction_must_balance' });
  });

  it('refuses to change or remove anything that was posted', async () => {
    await test.fundedBook();
    for (const attempt of [
      'UPDATE entries SET amount_minor = amount_minor + 1',
      'DELETE FROM entries',
      'UPDATE transactions SET cause = cause || 1',
      'DELETE FROM transactions',
      "UPDATE accounts SET mode = 'LIVE'",
      'TRUNCATE entries',
      'TRUNCATE transactions CASCADE',
    ]) {
      await expect(sql(attempt)).rejects.toMatchObject({ constraint: 'ledger_is_append_only' });
    }
  });

  it('refuses to overdraw a balance, whoever tries', async () => {
    await test.fundedBook();
    await expect(sql('UPDATE balances SET balance_minor = -1')).rejects.toMatchObject({
      constraint: 'no_overdraft',
    });
  });

  it('refuses to post one cause twice', async () => {
    const toppedUp = balanceToppedUp(test.newBook(), 'twice', 1n);
    const post = () =>
      test.billing.postgres.transaction((tx) => postTransaction(tx, toppedUp, test.clock.now()));
    await post();
    await expect(post()).rejects.toMatchObject({ constraint: 'transactions_cause_key' });
  });
});

it('the accounts of a book are made on first use, all kinds together, even by many postings at once', async () => {
  const fresh = test.newBook({ currency: 'EUR' });
  await Promise.all(Array.from({ length: 10 }, () => test.topUp(fresh, 1_00n)));
  expect(await balanceOf(test.billing.postgres, fresh)).toBe(10_00n);
  const accounts = await sql('SELECT FROM accounts WHERE organisation_id = $1', [fresh.organisationId]);
  expect(accounts).toHaveLength(accountKinds.length);
});

describe('a top-up', () => {
  it('is posted once per reference, even by ten requests at once', async () => {
    const book = test.newBook();
    const topUp = { book, amountMinor: 50_00n, reference: 'bank transfer 17' };
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => topUpBalance(test.billing.postgres, topUp, test.clock.now())),
    );
    for (const answer of answers) expect(answer).toEqual({ ok: true, balanceMinor: 50_00n });
    const announced = await test.emitted(BalanceToppedUp, book);
    const amounts = { balanceMinor: '5000', netMinor: '5000', vatMinor: '0' };
    expect(announced).toEqual([{ ...book, ...amounts, method: 'platform' }]);
  });

  it('is refused if its reference stands for another one', async () => {
    const topUp = { book: test.newBook(), amountMinor: 50_00n, reference: 'bank transfer 18' };
    await topUpBalance(test.billing.postgres, topUp, test.clock.now());
    for (const other of [
      { ...topUp, amountMinor: 51_00n },
      { ...topUp, book: test.newBook() },
    ]) {
      const answer = await topUpBalance(test.billing.postgres, other, test.clock.now());
      expect(answer).toEqual({ ok: false, reason: 'reference-taken' });
    }
  });
});
