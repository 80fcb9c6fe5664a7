import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { DAY_MS } from '@offer-ads/contracts/values/durations';
import type { Transaction } from '@offer-ads/platform/postgres/postgres';
import { runs } from '@offer-ads/testing/profile';
import { type Book, balanceToppedUp } from '../../src/domain/ledger/ledger.ts';
import { lastLedgerCheck } from '../../src/ledger/last-check-store.ts';
import { checkLedger } from '../../src/ledger/ledger-check-store.ts';
import { postTransaction } from '../../src/ledger/ledger-store.ts';
import { checkAndRecord, watchLedger } from '../../src/ledger/watch-ledger.ts';
import { startBillingUnderTest, useBilling } from '../billing-under-test.ts';
import { watched, withQuery } from '../watched-billing.ts';

const test = useBilling();

describe('the ledger check', () => {
  /** What the check finds after somebody has changed the ledger behind its own rules; the transaction is then undone. */
  async function findingsAfter(
    tamper: (tx: Transaction, book: Book) => Promise<unknown>,
    step: number,
  ): Promise<readonly string[]> {
    let problems: readonly string[] = [];
    const undone = test.billing.postgres.transaction(async (tx) => {
      await tx.query('SET LOCAL session_replication_role = replica');
      const tampered = test.newBook();
      // For an entry of another book.
      await postTransaction(tx, balanceToppedUp(test.newBook(), randomUUID(), 10n), test.clock.now());
      for (let bookings = 0; bookings < 6; bookings += 1)
        await postTransaction(tx, balanceToppedUp(tampered, randomUUID(), 10n), test.clock.now());
      await tamper(tx, tampered);
      ({ problems } = await checkLedger(tx, { rowsAtOnce: step }));
      throw new Error('undo');
    });
    await expect(undone).rejects.toThrow('undo');
    return problems;
  }

  const third = `(SELECT transaction_id FROM transactions WHERE organisation_id = $1 ORDER BY transaction_id OFFSET 2 LIMIT 1)`;
  const tamperings: readonly [string, string, RegExp][] = [
    [
      'a running balance that does not follow from the one before',
      `UPDATE transactions SET balance_after_minor = 31 WHERE transaction_id = ${third}`,
      /^transaction \d+ says that it left a balance of 31, but 20 and its change of 10 make 30$/,
    ],
    [
      'an entry that its running balance does not contain',
      `UPDATE entries SET amount_minor = amount_minor * 2 WHERE transaction_id = ${third}`,
      /^transaction \d+ says that it left a balance of 30, but 20 and its change of 20 make 40$/,
    ],
    [
      'a time that puts a transaction before an earlier one',
      `UPDATE transactions SET booked_at = booked_at + interval '1 s' WHERE transaction_id = ${third}`,
      /^transaction \d+ has an earlier time than transaction \d+, which was booked before it$/,
    ],
    [
      'a transaction that does not sum to zero',
      `UPDATE entries SET amount_minor = 11 WHERE amount_minor > 0 AND transaction_id = ${third}`,
      /^transaction \d+ sums to 1 in GBP$/,
    ],
    [
      'a transaction without entries',
      `DELETE FROM entries WHERE transaction_id = ${third}`,
      /^transaction \d+ has no entries$/,
    ],
    [
      'an entry of another book',
      `UPDATE entries SET account_id = (SELECT account_id FROM accounts WHERE organisation_id <> $1 LIMIT 1)
        WHERE amount_minor > 0 AND transaction_id = ${third}`,
      /^transaction \d+ has an entry in a book that is not its own$/,
    ],
    [
      'a transaction of an offer that has no record',
      `UPDATE transactions SET offer_id = 999999 WHERE transaction_id = ${third}`,
      /^transaction \d+ is of offer 999999, which has no record$/,
    ],
    [
      'a record of an offer that differs from the ledger',
      `INSERT INTO offer_payments
         (offer_id, organisation_id, mode, currency, title, net_minor, vat_minor, payment_method, state, paid_at, credited_minor)
       VALUES (900000000 + $1, $1, 'TEST', 'GBP', '', 10, 0, 'B', 'charged', now(), 5)`,
      /^offer 9\d{8}: its record says 10 paid and 5 credited, the ledger 0 and 0$/,
    ],
    [
      'an offer that was paid for out of another book than its own',
      `WITH record AS (
         INSERT INTO offer_payments
           (offer_id, organisation_id, mode, currency, title, net_minor, vat_minor, payment_method, state, paid_at)
         VALUES (900000000 + $1, $1 + 1, 'TEST', 'GBP', '', 10, 0, 'B', 'charged', now())
       ), sold AS (
         UPDATE entries SET amount_minor = 10, account_id = (
                  SELECT account_id FROM accounts WHERE organisation_id = $1 AND kind = 'sales'
                )
          WHERE amount_minor < 0 AND transaction_id = ${third}
       )
       UPDATE transactions SET offer_id = 900000000 + $1 WHERE transaction_id = ${third}`,
      /^offer 9\d{8}: its record says 10 paid and 0 credited, the ledger 0 and 0$/,
    ],
    [
      'a top-up that was taken from play money',
      `UPDATE entries SET account_id = (
                SELECT account_id FROM accounts WHERE organisation_id = $1 AND kind = 'play-money'
              )
        WHERE amount_minor < 0 AND transaction_id = ${third}`,
      /^transaction \d+ of kind platform-top-up takes 10 from play money in TEST mode$/,
    ],
    [
      'play money from another account',
      `UPDATE transactions SET kind = 'play-money' WHERE transaction_id = ${third}`,
      /^transaction \d+ of kind play-money takes 0 from play money in TEST mode$/,
    ],
    [
      'a balance that differs from its entries',
      `UPDATE balances SET balance_minor = 61 FROM accounts
        WHERE accounts.account_id = balances.account_id AND organisation_id = $1`,
      /^balance of account \d+ is 61, its last transaction left 60$/,
    ],
  ];
  const stepLengths = [1, 2, 3, 5, 1_000];
  it.each(tamperings)('finds %s, in steps of any length', async (_what, sql, finding) => {
    const findings = await Promise.all(
      stepLengths.map((step) =>
        findingsAfter((tx, { organisationId }) => tx.query(sql, [organisationId]), step),
      ),
    );
    for (const problems of findings) {
      expect(problems).toContainEqual(expect.stringMatching(finding));
      expect(new Set(problems).size).toBe(problems.length);
      expect(problems).toHaveLength(findings[0]?.length ?? 0);
    }
  });

  it('finds an invoice that is missing, of another amount, or after a gap', async () => {
    const { offerId } = await test.paidOffer();
    const cause = `offer ${offerId} paid by card`;
    const invoices: readonly [string, RegExp][] = [
      ['DELETE FROM invoices WHERE cause = $1', /^"offer \d+ paid by card" has no invoice$/],
      [
        'UPDATE invoices SET net_minor = net_minor + 1 WHERE cause = $1',
        /^invoice \d+ of TEST mode is of 1201, the ledger says 1200$/,
      ],
      [
        'UPDATE invoices SET sequence = sequence + 1 WHERE cause = $1',
        /^invoice \d+ of TEST mode follows \d+$/,
      ],
    ];
    for (const [sql, finding] of invoices) {
      const undone = test.billing.postgres.transaction(async (tx) => {
        await tx.query('SET LOCAL session_replication_role = replica');
        await tx.query(sql, [cause]);
        const { problems } = await checkLedger(tx);
        expect(problems).toEqual([expect.stringMatching(finding)]);
        throw new Error('undo');
      });
      await expect(undone).rejects.toThrow('undo');
    }
  });

  it('stops at a thousand problems', async () => {
    const problems = await findingsAfter(
      (tx) =>
        tx.query(`INSERT INTO transactions
                    (cause, kind, organisation_id, mode, currency, booked_at, balance_after_minor)
                  SELECT 'bad ' || n, 'card-refund', 1, 'TEST', 'GBP', now(), 0 FROM generate_series(1, 1500) n`),
      100,
    );
    expect(problems).toHaveLength(1_001);
    expect(problems.at(-1)).toBe('the check stopped at 1000 problems');
  });

  it('runs after the last test of every file, and fails the file when the ledger does not add up', async () => {
    const other = await startBillingUnderTest();
    await other.topUp(other.newBook(), 1n);
    await other.billing.postgres.query('UPDATE balances SET balance_minor = 2');
    await expect(other.finish()).rejects.toThrow(/its last transaction left 1/);
  });

  it('holds no lock between two of its steps, so that a migration does not wait for it while every charge waits for the migration', async () => {
    const { postgres, clock } = test.billing;
    let free = 0;
    // As an ALTER TABLE would take it; NOWAIT fails where the check holds on to the table.
    const migrate = async () => {
      await postgres.transaction((tx) => tx.query('LOCK TABLE transactions, offer_payments NOWAIT'));
      free += 1;
    };
    const { postgres: watched } = withQuery(test.billing, async (on, statement, values) => {
      const rows = await on.query(statement, values);
      await migrate();
      return rows;
    });
    expect((await checkAndRecord({ postgres: watched, clock })).ok).toBe(true);
    expect(free).toBeGreaterThan(8);
  });

  it('finds nothing wrong while charges and top-ups are posted at the same time', async () => {
    const book = await test.fundedBook();
    const over = new AbortController();
    const trading = Array.from({ length: 3 }, async () => {
      while (!over.signal.aborted) {
        await test.charge(book, 1n);
        await test.topUp(book, 1n);
      }
    });
    const found: string[] = [];
    for (let round = 0; round < runs(5, 100); round += 1)
      found.push(...(await checkLedger(test.billing.postgres, { rowsAtOnce: 7 })).problems);
    over.abort();
    await Promise.all(trading);
    expect(found).toEqual([]);
  });

  it('counts the transactions', async () => {
    const before = await checkLedger(test.billing.postgres);
    await test.billing.postgres.transaction((tx) =>
      postTransaction(tx, balanceToppedUp(test.newBook(), 'counted', 1n), test.clock.now()),
    );
    const after = await checkLedger(test.billing.postgres);
    expect(after).toEqual({ ok: true, transactions: before.transactions + 1, problems: [] });
  });

  it('is made by one replica each night, and every replica exports its result', async () => {
    test.clock.advance(DAY_MS);
    const replicas = [1, 2, 3].map(() => {
      const { billing, log, metrics } = watched(test.billing);
      return { log, metrics, watch: watchLedger({ ...billing, metrics }) };
    });
    await Promise.all(replicas.map(({ watch }) => watch.check()));
    await Promise.all(replicas.map(({ watch }) => watch.look()));
    const checks = replicas.flatMap(({ log }) => log.map(({ msg }) => msg));
    expect(checks).toEqual(['the ledger has been checked']);
    for (const { metrics, watch } of replicas) {
      const valueOf = async (name: string) =>
        (await metrics.registry.getSingleMetric(name)?.get())?.values[0]?.value;
      expect(await valueOf('ledger_check_problems')).toBe(0);
      expect(await valueOf('ledger_check_timestamp_seconds')).toBe(test.clock.now().getTime() / 1_000);
      await watch[Symbol.asyncDispose]();
    }
  });

  it('reports a wrong balance every night until it is mended', async () => {
    const { organisationId } = await test.fundedBook();
    const add = (minor: number) =>
      test.billing.postgres.query(
        `UPDATE balances SET balance_minor = balance_minor + $2 FROM accounts
          WHERE accounts.account_id = balances.account_id AND organisation_id = $1`,
        [organisationId, minor],
      );
    const night = async () => {
      test.clock.advance(DAY_MS);
      const { billing, log, metrics } = watched(test.billing);
      await using watch = watchLedger({ ...billing, metrics });
      await watch.check();
      return log[0]?.problems;
    };
    await add(1);
    expect([await night(), await night()]).toEqual([1, 1]);
    await add(-1);
    expect(await night()).toBe(0);
  });

  it('that was broken off records nothing, so that it is made again within the hour', async () => {
    const before = await lastLedgerCheck(test.billing.postgres);
    const ended = new AbortController();
    const { postgres } = withQuery(test.billing, async (on, statement, values) => {
      const rows = await on.query(statement, values);
      ended.abort(new Error('the process ends'));
      return rows;
    });
    const brokenOff = checkAndRecord({ postgres, clock: test.clock }, ended.signal);
    await expect(brokenOff).rejects.toThrow('the process ends');
    expect(await lastLedgerCheck(test.billing.postgres)).toEqual(before);
  });
});
