import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { DAY_MS } from '@offer-ads/contracts/values/durations';
import type { Transaction } from '@offer-ads/platform/postgres/postgres';
import { runs } from '@offer-ads/testing/profile';
import { type Book, balanceToppedUp } from '../../src/domain/ledger/ledger.ts';
import { checkLedger, lastLedgerCheck } from '../../src/ledger/ledger-check-store.ts';
import { postTransaction } from '../../src/ledger/ledger-store.ts';
import { checkAndRecord, watchLedger } from '../../src/ledger/watch-ledger.ts';
import { startBillingUnderTest, untilServed, useBilling } from '../billing-under-test.ts';
import { watched, withQuery } from '../watched-billing.ts';

const test = useBilling();

describe('the ledger check', () => {
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
      `INSERT INTO payments
         (offer_id, organisation_id, mode, currency, title, net_minor, vat_minor, payment_method, state, paid_at, credited_minor,
          spender, ordered_on)
       VALUES (900000000 + $1, $1, 'TEST', 'GBP', '', 10, 0, 'B', 'charged', now(), 5, 'key/1', now())`,
      /^offer 9\d{8}: its record says 10 paid and 5 credited, the ledger 0 and 0$/,
    ],
    [
      'an offer that was paid for out of another book than its own',
      `WITH record AS (
         INSERT INTO payments
           (offer_id, organisation_id, mode, currency, title, net_minor, vat_minor, payment_method, state, paid_at,
            spender, ordered_on)
         VALUES (900000000 + $1, $1 + 1, 'TEST', 'GBP', '', 10, 0, 'B', 'charged', now(), 'key/1', now())
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
    const tamper = async (tx: Transaction) => {
      const tampered = test.newBook();
      const topUp = (book: Book) =>
        postTransaction(tx, balanceToppedUp(book, randomUUID(), 10n), test.clock.now());
      // For an entry of another book.
      await topUp(test.newBook());
      for (let bookings = 0; bookings < 6; bookings += 1) await topUp(tampered);
      await tx.query(sql, [tampered.organisationId]);
    };
    const findings = await Promise.all(
      stepLengths.map((rowsAtOnce) => test.findingsAfter(tamper, { rowsAtOnce })),
    );
    for (const problems of findings) {
      expect(problems).toContainEqual(expect.stringMatching(finding));
      expect(new Set(problems).size).toBe(problems.length);
      expect(problems).toHaveLength(findings[0]?.length ?? 0);
    }
  });

  it('finds an invoice that is missing, of another amount, or after a gap', async () => {
    const { offerId } = await test.paidOffer();
    const where = `WHERE cause = 'offer ${offerId} paid by card'`;
    for (const [change, finding] of [
      ['DELETE FROM invoices', /^"offer \d+ paid by card" has no invoice$/],
      [
        'UPDATE invoices SET net_minor = net_minor + 1',
        /^invoice \d+ of TEST mode is of 1201, the ledger says 1200$/,
      ],
      ['UPDATE invoices SET sequence = sequence + 1', /^invoice \d+ of TEST mode follows \d+$/],
    ] as const)
      expect(await test.findingsAfter(`${change} ${where}`)).toEqual([expect.stringMatching(finding)]);
  });

  it('finds a top-up, a refund or a decision about it whose record differs from the ledger', async () => {
    const topUp = await test.paidTopUp();
    const { topUpId } = topUp;
    const id = await test.takeBack(topUp);
    await test.admin('POST', '/card-problems/settle', { id, borneBy: 'platform', reason: 'agreed' });
    const [ofTopUp, ofRefund] = [`WHERE top_up_id = ${topUpId}`, `WHERE reversal_id = '${id}'`];
    for (const [change, ...findings] of [
      [
        `payments SET net_minor = 9900 ${ofTopUp}`,
        `top-up ${topUpId}: its record says 9900 added and 2000 VAT`,
      ],
      [
        `card_reversals SET taken_booked = false ${ofRefund}`,
        `refund ${id}: its record says 0 taken and 0 returned, the ledger 12000 and 0`,
        `refund ${id}: its record says 0 refunded, its credit notes 12000`,
      ],
      [
        `card_reversals SET reversal_id = 're_another' ${ofRefund}`,
        `is of "refund ${id} taken", which has no record`,
        'refund re_another: its record says 12000 taken and 0 returned, the ledger 0 and 0',
        'refund re_another: its record says 12000 refunded, its credit notes 0',
      ],
      [
        `card_settlements SET borne_by = 'balance' ${ofRefund}`,
        `settlement of ${id}: its record says 12000 borne by balance, the ledger 0 and 12000 off what was taken back`,
      ],
    ] as const)
      expect(await test.findingsAfter(`UPDATE ${change}`)).toEqual(
        findings.map((text) => expect.stringContaining(text)),
      );
  });

  it('finds a refund without its credit note, one too many, wrong amounts and gaps', async () => {
    const offer = await test.paidOffer();
    const id = await test.takeBack(offer, 'refund', 6_00);
    const last = await test.takeBack(offer, 'refund', 3_00);
    const dispute = await test.takeBack(await test.paidOffer(), 'dispute');
    const noted = `WHERE cause = 'refund ${id} taken'`;
    const [row] = await test.billing.postgres.query<{ sequence: bigint; invoice: bigint }>(
      `SELECT sequence, invoice FROM credit_notes ${noted}`,
    );
    const { sequence, invoice } = row!;
    const says = (refunded: number, notes: number) =>
      `refund ${id}: its record says ${refunded} refunded, its credit notes ${notes}`;
    for (const [change, ...findings] of [
      [
        `DELETE FROM credit_notes WHERE cause = 'refund ${last} taken'`,
        `refund ${last}: its record says 300 refunded, its credit notes 0`,
      ],
      [
        `DELETE FROM credit_notes ${noted}`,
        says(600, 0),
        `credit note ${sequence + 1n} of TEST mode follows ${sequence - 1n}`,
      ],
      [`UPDATE card_reversals SET succeeded = false WHERE reversal_id = '${id}'`, says(0, 600)],
      [
        `UPDATE credit_notes SET net_minor = net_minor + 1 ${noted}`,
        says(600, 601),
        `credit note ${sequence} of TEST mode is of 601, the ledger says 600`,
      ],
      [
        `UPDATE credit_notes SET net_minor = net_minor - 200, vat_minor = vat_minor + 200 ${noted}`,
        `invoice ${invoice} of TEST mode is of 1000 and 200 VAT, its credit notes are of 550 and 350`,
      ],
      [`UPDATE credit_notes SET invoice = invoice - 1 ${noted}`, says(600, 0)],
      [
        `UPDATE credit_notes SET cause = 'dispute ${dispute} taken' ${noted}`,
        says(600, 0),
        `credit note ${sequence} of TEST mode is of 600, the ledger says 0`,
      ],
    ] as const)
      expect(await test.findingsAfter(change)).toEqual(expect.arrayContaining(findings));
  });

  it('stops at a thousand problems', async () => {
    const problems = await test.findingsAfter(
      `INSERT INTO transactions (cause, kind, organisation_id, mode, currency, booked_at, balance_after_minor)
       SELECT 'bad ' || n, 'card-refund', 1, 'TEST', 'GBP', now(), 0 FROM generate_series(1, 1500) n`,
      { rowsAtOnce: 100 },
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
      await postgres.transaction((tx) => tx.query('LOCK TABLE transactions, payments NOWAIT'));
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
    const checking = async () => {
      for (let round = 0; round < runs(5, 100); round += 1) {
        const { problems } = await untilServed(() => checkLedger(test.billing.postgres, { rowsAtOnce: 7 }));
        found.push(...problems);
      }
    };
    await checking().finally(() => over.abort());
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
