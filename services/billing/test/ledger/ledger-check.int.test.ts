import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { type Queryable, sqlOf, type Transaction } from '@offer-ads/platform/postgres/postgres';
import { runs } from '@offer-ads/testing/profile';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { type Book, balanceToppedUp } from '../../src/domain/ledger/ledger.ts';
import { checkLedger } from '../../src/ledger/ledger-check-store.ts';
import { lastLedgerCheck, viewLedger } from '../../src/ledger/ledger-checks-store.ts';
import { postTransaction } from '../../src/ledger/ledger-store.ts';
import { checkAndRecord, watchLedger } from '../../src/ledger/watch-ledger.ts';
import { DAY_MS, startBillingUnderTest, useBilling } from '../billing-under-test.ts';
import { watched, withQuery } from '../watched-billing.ts';

const test = useBilling();
const sql = (text: string, values: readonly unknown[] = []) => test.billing.postgres.query(text, values);

describe('the ledger check', () => {
  /** What the check finds after somebody has changed the ledger behind its own rules; the transaction is then undone. */
  async function findingsAfter(
    tamper: (tx: Transaction, book: Book) => Promise<unknown>,
    step: number,
    what: 'everything' | 'new' = 'everything',
  ): Promise<readonly string[]> {
    let problems: readonly string[] = [];
    const undone = test.billing.postgres.transaction(async (tx) => {
      await tx.query('SET LOCAL session_replication_role = replica');
      const provenUpTo = what === 'new' ? (await viewLedger(tx)).newestId : undefined;
      const tampered = test.newBook();
      // For an entry of another book.
      await postTransaction(tx, balanceToppedUp(test.newBook(), randomUUID(), 10n), test.clock.now());
      for (let bookings = 0; bookings < 6; bookings += 1)
        await postTransaction(tx, balanceToppedUp(tampered, randomUUID(), 10n), test.clock.now());
      await tamper(tx, tampered);
      ({ problems } = await checkLedger(tx, { provenUpTo, transactionsAtOnce: step, rowsAtOnce: step }));
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

  // Nothing was booked for this one.
  const isOfNoBooking = 'a record of an offer that differs from the ledger';
  it.each(tamperings.filter(([what]) => what !== isOfNoBooking))(
    'finds %s, also when it examines only what is new',
    async (_what, sql, finding) => {
      const tamper = (tx: Transaction, { organisationId }: Book) => tx.query(sql, [organisationId]);
      for (const step of stepLengths) {
        const problems = await findingsAfter(tamper, step, 'new');
        expect(problems).toContainEqual(expect.stringMatching(finding));
        expect(new Set(problems).size).toBe(problems.length);
        expect(problems).toHaveLength((await findingsAfter(tamper, step)).length);
      }
    },
  );

  it('finds a new transaction that is put before an older one', async () => {
    const before = `UPDATE transactions SET booked_at = booked_at - interval '1 s' WHERE transaction_id = (
                      SELECT max(transaction_id) FROM transactions WHERE organisation_id = $1)`;
    let earlier = 0n;
    const undone = test.billing.postgres.transaction(async (tx) => {
      const book = test.newBook();
      const post = () => postTransaction(tx, balanceToppedUp(book, randomUUID(), 10n), test.clock.now());
      await post();
      const { newestId } = await viewLedger(tx);
      earlier = newestId;
      await post();
      await tx.query('SET LOCAL session_replication_role = replica');
      await tx.query(before, [book.organisationId]);
      const { problems } = await checkLedger(tx, { provenUpTo: newestId });
      expect(problems).toContain(
        `transaction ${newestId + 1n} has an earlier time than transaction ${newestId}, which was booked before it`,
      );
      throw new Error('undo');
    });
    await expect(undone).rejects.toThrow('undo');
    expect(earlier).toBeGreaterThan(0n);
  });

  it('finds an invoice that is missing, of another amount, or after a gap, also when it examines only what is new', async () => {
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
    for (const [sql, finding] of invoices)
      for (const provenUpTo of [undefined, 0n]) {
        const undone = test.billing.postgres.transaction(async (tx) => {
          await tx.query('SET LOCAL session_replication_role = replica');
          await tx.query(sql, [cause]);
          const { problems } = await checkLedger(tx, { provenUpTo });
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
    expect((await checkAndRecord({ postgres: watched, clock }, null)).ok).toBe(true);
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
      found.push(
        ...(await checkLedger(test.billing.postgres, { transactionsAtOnce: 7, rowsAtOnce: 5 })).problems,
      );
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
});

describe('the check of the ledger every night', () => {
  /** In the middle of a month, for which nothing is proven. */
  async function begin() {
    await sql('DELETE FROM ledger_checks');
    const now = test.clock.now();
    test.clock.set(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 10, 12)));
  }

  /** Waits until those database transactions have ended that were under way at the last check, as in a day: also those of other databases. */
  const untilEnded = () =>
    eventually(async () => {
      const waiting = 'SELECT FROM ledger_checks WHERE seen_before > pg_snapshot_xmin(pg_current_snapshot())';
      expect(await sql(waiting)).toEqual([]);
    });

  /** What the log says of the check that is made in the next night. */
  async function night({ isAnyUnderWay = false } = {}) {
    if (!isAnyUnderWay) await untilEnded();
    test.clock.advance(DAY_MS);
    const { billing, log, metrics } = watched(test.billing);
    await using watch = watchLedger({ ...billing, metrics });
    await watch.check();
    const { transactions, problems, isWhole } = log[0] ?? {};
    return { transactions, problems, isWhole };
  }

  const provenUpTo = async () => (await lastLedgerCheck(test.billing.postgres))?.provenUpTo;
  const newest = async () => (await viewLedger(test.billing.postgres)).newestId;

  /** Changes all entries of a transaction, so that only its balance is wrong. */
  const scale = (on: Queryable, factor: string, transactionId: bigint) =>
    on.query(`UPDATE entries SET amount_minor = amount_minor ${factor} WHERE transaction_id = $1`, [
      transactionId,
    ]);
  const tamper = (factor: '* 2' | '/ 2', transactionId: bigint) =>
    test.billing.postgres.transaction(async (tx) => {
      await tx.query('SET LOCAL session_replication_role = replica');
      await scale(tx, factor, transactionId);
    });

  it('examines only what is new once everything before it is proven, and everything again each month', async () => {
    await begin();
    await test.fundedBook();
    // The first one sees that there are transactions, the second one proves these.
    expect([await night(), await night()]).toMatchObject([{ isWhole: true }, { isWhole: true }]);
    expect(await night()).toEqual({ transactions: 0, problems: 0, isWhole: false });
    await test.fundedBook();
    await test.fundedBook();
    expect(await night()).toEqual({ transactions: 2, problems: 0, isWhole: false });
    // Examined once more: now all transactions have ended that were under way in the night before.
    expect(await night()).toEqual({ transactions: 2, problems: 0, isWhole: false });
    expect(await night()).toEqual({ transactions: 0, problems: 0, isWhole: false });
    test.clock.advance(20 * DAY_MS);
    expect(await night()).toMatchObject({ isWhole: true, problems: 0 });
    expect(await night()).toEqual({ transactions: 0, problems: 0, isWhole: false });
  });

  it('finds a new transaction that is wrong, every night until it is mended, and proves nothing after it meanwhile', async () => {
    await begin();
    for (let nights = 0; nights < 3; nights += 1) await night();
    const proven = await provenUpTo();
    await test.fundedBook();
    const wrong = await newest();
    await tamper('* 2', wrong);
    expect(await night()).toEqual({ transactions: 1, problems: 1, isWhole: false });
    await test.fundedBook();
    expect([await night(), await night()]).toMatchObject([{ problems: 1 }, { problems: 1 }]);
    expect(await provenUpTo()).toBe(proven);
    await tamper('/ 2', wrong);
    expect(await night()).toMatchObject({ problems: 0, isWhole: true });
    expect(await provenUpTo()).toBeGreaterThan(wrong);
    expect(await night()).toMatchObject({ problems: 0, isWhole: false });
  });

  it('finds in the check of everything an old transaction that was changed, and says so every night until it is mended', async () => {
    await begin();
    await test.fundedBook();
    const old = await newest();
    for (let nights = 0; nights < 3; nights += 1) await night();
    await tamper('* 2', old);
    expect(await night()).toEqual({ transactions: 0, problems: 0, isWhole: false });
    test.clock.advance(25 * DAY_MS);
    expect(await night()).toMatchObject({ problems: 1, isWhole: true });
    expect(await night()).toMatchObject({ problems: 1, isWhole: true });
    await tamper('/ 2', old);
    expect(await night()).toMatchObject({ problems: 0, isWhole: true });
    expect(await night()).toMatchObject({ isWhole: false });
  });

  it('finds a balance that was changed, although nothing was booked', async () => {
    await begin();
    const { organisationId } = await test.fundedBook();
    for (let nights = 0; nights < 3; nights += 1) await night();
    const add = `UPDATE balances SET balance_minor = balance_minor + $2 FROM accounts
                  WHERE accounts.account_id = balances.account_id AND organisation_id = $1`;
    await sql(add, [organisationId, 1]);
    expect(await night()).toEqual({ transactions: 0, problems: 1, isWhole: false });
    await sql(add, [organisationId, -1]);
  });

  it('does not pass by a transaction that is committed after one with a higher id', async () => {
    await begin();
    for (let nights = 0; nights < 3; nights += 1) await night();
    const [written, ended] = [Promise.withResolvers<bigint>(), Promise.withResolvers<void>()];
    const late = test.billing.postgres.transaction(async (tx) => {
      await tx.query('SET LOCAL session_replication_role = replica');
      const toppedUp = balanceToppedUp(test.newBook(), randomUUID(), 10n);
      const posted = await postTransaction(tx, toppedUp, test.clock.now());
      if (!posted.ok) throw new Error('refused');
      await scale(tx, '* 2', posted.transactionId);
      written.resolve(posted.transactionId);
      await ended.promise;
    });
    const lateId = await written.promise;
    await test.fundedBook();
    expect(await newest()).toBeGreaterThan(lateId);
    for (let nights = 0; nights < 3; nights += 1)
      expect(await night({ isAnyUnderWay: true })).toEqual({ transactions: 1, problems: 0, isWhole: false });
    ended.resolve();
    await late;
    expect(await night()).toEqual({ transactions: 2, problems: 1, isWhole: false });
    await tamper('/ 2', lateId);
  });

  it('of what is new leaves the problem reported that a check of everything has found while it was under way', async () => {
    await begin();
    await test.fundedBook();
    const old = await newest();
    for (let nights = 0; nights < 3; nights += 1) await night();
    await tamper('* 2', old);
    const { clock, billing } = test;
    let person: Promise<unknown> | undefined;
    const { postgres } = withQuery(billing, async (on, statement, values) => {
      if (sqlOf(statement).includes('step AS MATERIALIZED'))
        await (person ??= checkAndRecord({ postgres: billing.postgres, clock }, null));
      return on.query(statement, values);
    });
    const proven = (await provenUpTo()) ?? null;
    expect(await checkAndRecord({ postgres, clock }, proven)).toMatchObject({ problems: [] });
    expect(await lastLedgerCheck(billing.postgres)).toMatchObject({ problems: 1, provenUpTo: proven });
    expect(await night()).toMatchObject({ problems: 1, isWhole: true });
    await tamper('/ 2', old);
    expect(await night()).toMatchObject({ problems: 0, isWhole: true });
  });

  it('that was broken off proves nothing, and the next one examines the same', async () => {
    await begin();
    for (let nights = 0; nights < 3; nights += 1) await night();
    await test.fundedBook();
    const before = await lastLedgerCheck(test.billing.postgres);
    const proven = before?.provenUpTo ?? null;
    const ended = new AbortController();
    const { postgres } = withQuery(test.billing, async (on, statement, values) => {
      const rows = await on.query(statement, values);
      if (sqlOf(statement).includes('FROM offer_payments')) ended.abort(new Error('the process ends'));
      return rows;
    });
    const brokenOff = checkAndRecord({ postgres, clock: test.clock }, proven, ended.signal);
    await expect(brokenOff).rejects.toThrow('the process ends');
    expect(await lastLedgerCheck(test.billing.postgres)).toEqual(before);
    expect(await night()).toEqual({ transactions: 1, problems: 0, isWhole: false });
  });
});
