import { describe, expect, it } from '@jest/globals';
import { BalanceLow } from '@offer-ads/contracts/events/billing';
import { createDeadline, type Deadline } from '@offer-ads/platform/calls/deadline';
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import { signedCaller } from '@offer-ads/testing/caller';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { chargeOffer } from '../../src/balance/charge-offer.ts';
import { createChargeQueue } from '../../src/balance/charge-queue.ts';
import { changeLowBalance } from '../../src/balance/low-balance.ts';
import type { Book } from '../../src/domain/ledger/ledger.ts';
import { untilServed, useBilling } from '../billing-under-test.ts';
import { withQuery } from '../watched-billing.ts';

const test = useBilling();

async function bookWith(balanceMinor: bigint): Promise<Book> {
  const book = test.newBook();
  await test.topUp(book, balanceMinor);
  return book;
}

describe('a charge', () => {
  it('takes the net price at once, down to the last penny and not one more', async () => {
    const book = await bookWith(10_00n);
    const refused = { outcome: 'refused', reason: 'balance-too-low', balanceMinor: '1000' };
    expect(await test.charge(book, 10_01n)).toEqual(refused);
    const charged = { outcome: 'charged', chargedAt: test.clock.now().toISOString(), balanceMinor: '0' };
    expect(await test.charge(book, 10_00n)).toEqual(charged);
    expect(await test.balance(book)).toBe(0n);
  });

  it('is refused without a balance, and can be tried again once the balance allows it', async () => {
    const [book, offerId] = [test.newBook(), test.newOfferId()];
    const refused = { reason: 'balance-too-low', balanceMinor: '0' };
    expect(await test.charge(book, 5_00n, offerId)).toMatchObject(refused);
    await test.topUp(book, 5_00n);
    expect(await test.charge(book, 5_00n, offerId)).toMatchObject({ outcome: 'charged', balanceMinor: '0' });
  });

  it('never reaches the balance of the other mode or of another currency', async () => {
    const book = await bookWith(10_00n);
    expect(await test.charge({ ...book, mode: 'LIVE' }, 1n)).toMatchObject({ outcome: 'refused' });
    expect(await test.charge({ ...book, currency: 'EUR' }, 1n)).toMatchObject({ outcome: 'refused' });
    expect(await test.balance(book)).toBe(10_00n);
  });

  it('of a price of 0 is charged and posts nothing', async () => {
    const book = test.newBook();
    expect(await test.charge(book, 0n)).toMatchObject({ outcome: 'charged', balanceMinor: '0' });
    const posted = 'SELECT FROM transactions WHERE organisation_id = $1';
    expect(await test.billing.postgres.query(posted, [book.organisationId])).toEqual([]);
  });

  it('is one statement, so that a process that pauses does not hold the lock of the balance', async () => {
    const book = await bookWith(100_00n);
    const { postgres } = test.billing;
    let statements = 0;
    const counted: typeof postgres = {
      ...postgres,
      query: (...statement) => {
        statements += 1;
        return postgres.query(...statement);
      },
      transaction: () => Promise.reject(new Error('a charge needs no transaction of several statements')),
    };
    const sale = { offerId: test.newOfferId(), book, title: 'Two for one', netMinor: 1_00n };
    const charge = { sale, at: test.clock.now() };
    const answer = await chargeOffer({ ...test.billing, postgres: counted }, charge);
    expect(answer).toMatchObject({ outcome: 'charged', balanceMinor: '9900' });
    expect(statements).toBe(1);
  });

  it('takes nothing after its deadline on the clock of the database', async () => {
    const book = await bookWith(10_00n);
    const sale = { offerId: test.newOfferId(), book, title: 'Two for one', netMinor: 1_00n };
    const hour = 3_600_000;
    const chargeBy = (commitByMs: number) => {
      const deadline = createDeadline(hour, undefined, undefined, commitByMs);
      return chargeOffer(test.billing, { sale, at: test.clock.now(), deadline });
    };
    await expect(chargeBy(Date.now() - hour)).rejects.toMatchObject({ status: 503 });
    expect(await test.balance(book)).toBe(10_00n);
    expect(await chargeBy(Date.now() + hour)).toMatchObject({ outcome: 'charged' });
  });
});

it('charges of one balance wait in a queue of bounded length: beyond it they get 429, and other balances are charged', async () => {
  const [busy, other] = [await bookWith(100_00n), await bookWith(100_00n)];
  const ask = (book: Book) =>
    fetch(`${test.url}/internal/charges`, {
      method: 'POST',
      headers: { ...signedCaller({ audience: 'billing', ...book }), 'content-type': 'application/json' },
      body: JSON.stringify({ offerId: test.newOfferId(), title: 'Two for one', netMinor: '1' }),
    });
  const statuses: number[] = [];
  let asked: Promise<void[]> | undefined;
  await test.billing.postgres.transaction(async (tx) => {
    await tx.query(
      `SELECT FROM balances JOIN accounts USING (account_id) WHERE organisation_id = $1 FOR UPDATE OF balances`,
      [busy.organisationId],
    );
    asked = Promise.all(
      Array.from({ length: 70 }, async () => {
        const answer = await ask(busy);
        statuses.push(answer.status);
        if (answer.status === 429) expect(answer.headers.get('retry-after')).not.toBeNull();
      }),
    );
    await eventually(() => expect(statuses).toEqual([429, 429, 429, 429, 429, 429]));
    expect((await ask(other)).status).toBe(200);
  });
  await asked;
  expect(statuses.filter((status) => status === 200)).toHaveLength(64);
  expect(await test.balance(busy)).toBe(100_00n - 64n);
});

describe('charges of one balance that come while another is under way', () => {
  /** Would be read as several, if it were not quoted. */
  const TITLE = `{"a\\b", 'c', NULL}`;

  /** Charges of the same balance: the first alone, the others as one batch. Gives what each was answered, or its status. */
  async function chargeTogether(
    book: Book,
    sales: readonly { readonly netMinor: bigint; readonly offerId?: number; readonly deadline?: Deadline }[],
  ) {
    const statements: string[] = [];
    const billing = withQuery(test.billing, (on, statement, values) => {
      statements.push(typeof statement === 'string' ? statement : statement.name);
      return on.query(statement, values);
    });
    const queue = createChargeQueue(billing);
    const answers = await Promise.all(
      sales.map(({ netMinor, offerId = test.newOfferId(), deadline }) =>
        queue.charge({ offerId, book, title: TITLE, netMinor }, test.clock.now(), deadline).then(
          ({ outcome, balanceMinor }) => `${outcome}, ${balanceMinor} left`,
          ({ status }: { status: number }) => status,
        ),
      ),
    );
    return { answers, statements };
  }
  const of = (...prices: readonly bigint[]) => prices.map((netMinor) => ({ netMinor }));

  it('are booked by one statement, each as its own transaction with the balance that it left', async () => {
    const book = await bookWith(10_00n);
    const { answers, statements } = await chargeTogether(book, of(1n, 2n, 3n, 4n));
    const left = [999, 997, 994, 990];
    expect(answers).toEqual(left.map((minor) => `charged, ${minor} left`));
    expect(statements).toEqual(['charge', 'charge']);
    const rows = await test.billing.postgres.query<{ balance_after_minor: bigint; title: string }>(
      `SELECT balance_after_minor, title FROM transactions JOIN offer_payments USING (offer_id)
        WHERE transactions.organisation_id = $1 ORDER BY transaction_id`,
      [book.organisationId],
    );
    expect(rows).toEqual(left.map((minor) => ({ balance_after_minor: BigInt(minor), title: TITLE })));
  });

  it('are decided one by one when the balance cannot pay all of them', async () => {
    const book = await bookWith(10n);
    const { answers } = await chargeTogether(book, of(1n, 5n, 5n, 4n));
    const expected = ['charged, 9 left', 'charged, 4 left', 'refused, 4 left', 'charged, 0 left'];
    expect(answers).toEqual(expected);
  });

  it('are charged once each when one of them is a repeat, or comes twice', async () => {
    const book = await bookWith(10n);
    const [known, twice] = [test.newOfferId(), test.newOfferId()];
    await test.charge(book, 1n, known);
    const { answers } = await chargeTogether(book, [
      { netMinor: 1n },
      { netMinor: 1n, offerId: known },
      { netMinor: 1n, offerId: twice },
      { netMinor: 1n, offerId: twice },
    ]);
    expect(answers).toEqual(['charged, 8 left', 'charged, 8 left', 'charged, 7 left', 'charged, 7 left']);
    expect(await test.balance(book)).toBe(7n);
  });

  it('are told of the low balance once, by the charge that falls below the threshold', async () => {
    const book = await bookWith(10n);
    await changeLowBalance(test.billing.postgres, book, 7n);
    const { answers } = await chargeTogether(book, of(1n, 1n, 2n, 1n));
    expect(answers).toEqual([9, 8, 6, 5].map((minor) => `charged, ${minor} left`));
    const balances = (await test.emitted(BalanceLow, book)).map(({ balanceMinor }) => balanceMinor);
    expect(balances).toEqual(['6']);
  });

  it('are not refused because the deadline of one of them has passed', async () => {
    const book = await bookWith(10n);
    const hour = 3_600_000;
    const past = createDeadline(hour, undefined, undefined, Date.now() - hour);
    const { answers } = await chargeTogether(book, [
      ...of(1n, 1n),
      { netMinor: 1n, deadline: past },
      ...of(1n),
    ]);
    expect(answers).toEqual(['charged, 9 left', 'charged, 8 left', 503, 'charged, 7 left']);
  });

  it('are not refused because one of them cannot be stored', async () => {
    const book = await bookWith(10n);
    const { answers } = await chargeTogether(book, [
      ...of(1n, 1n),
      { netMinor: 1n, offerId: 2 ** 70 },
      ...of(1n),
    ]);
    expect(answers).toEqual(['charged, 9 left', 'charged, 8 left', undefined, 'charged, 7 left']);
  });

  it('neither wait for each other nor miss one at two replicas that charge the same offers', async () => {
    const book = await bookWith(1_000n);
    const ids = Array.from({ length: 40 }, () => test.newOfferId());
    const replicas = [createChargeQueue(test.billing), createChargeQueue(test.billing)];
    const answers = await Promise.all(
      replicas.flatMap((queue, place) =>
        (place === 0 ? ids : ids.toReversed()).map((offerId) =>
          queue.charge({ offerId, book, title: 'Two for one', netMinor: 10n }, test.clock.now()),
        ),
      ),
    );
    expect(answers.filter(({ outcome }) => outcome === 'charged')).toHaveLength(80);
    expect(await test.balance(book)).toBe(600n);
  });
});

describe('charges of several balances that come while others are under way', () => {
  const books = async (count: number) => Promise.all(Array.from({ length: count }, () => bookWith(10n)));
  const sale = (book: Book, netMinor = 1n, offerId = test.newOfferId()) => ({
    offerId,
    book,
    title: 'Two for one',
    netMinor,
  });
  const shown = ({ outcome, balanceMinor }: { outcome: string; balanceMinor: string }) =>
    `${outcome}, ${balanceMinor} left`;

  it('are booked by one statement, each with the balance that it left', async () => {
    const [a, b, c, d] = (await books(4)) as [Book, Book, Book, Book];
    const statements: string[] = [];
    const billing = withQuery(test.billing, (on, statement, values) => {
      statements.push(typeof statement === 'string' ? statement : statement.name);
      return on.query(statement, values);
    });
    const queue = createChargeQueue(billing);
    const sales = [sale(a), sale(b), sale(c), sale(d, 2n), sale(c, 3n), sale(d), sale(c)];
    const answers = await Promise.all(sales.map((one) => queue.charge(one, test.clock.now())));
    expect(answers.map(shown)).toEqual([9, 9, 9, 8, 6, 7, 5].map((left) => `charged, ${left} left`));
    expect(statements).toEqual(['charge', 'charge', 'charge']);
    expect([await test.balance(c), await test.balance(d)]).toEqual([5n, 7n]);
  });

  it('are charged although one of the balances cannot pay', async () => {
    const [a, b, c, d] = (await books(4)) as [Book, Book, Book, Book];
    const queue = createChargeQueue(test.billing);
    const sales = [sale(a), sale(b), sale(c, 11n), sale(d), sale(c)];
    const answers = await Promise.all(sales.map((one) => queue.charge(one, test.clock.now())));
    const charged = 'charged, 9 left';
    expect(answers.map(shown)).toEqual([charged, charged, 'refused, 10 left', charged, charged]);
  });

  it.each(['offer id', 'balance'])('are charged while the %s of one of them is locked', async (locked) => {
    const [a, b, c, d] = (await books(4)) as [Book, Book, Book, Book];
    const blocked = sale(c);
    const queue = createChargeQueue(test.billing);
    let late: Promise<unknown> | undefined;
    await test.billing.postgres.transaction(async (tx) => {
      await (locked === 'balance'
        ? tx.query(
            `SELECT FROM balances JOIN accounts USING (account_id) WHERE organisation_id = $1 FOR UPDATE OF balances`,
            [c.organisationId],
          )
        : tx.query(
            `INSERT INTO offer_payments
               (offer_id, organisation_id, mode, currency, title, net_minor, vat_minor, payment_method, state, paid_at)
             VALUES ($1, $2, 'TEST', 'GBP', '', 1, 0, 'B', 'charged', now())`,
            [blocked.offerId, c.organisationId],
          ));
      const charge = (one: ReturnType<typeof sale>) => queue.charge(one, test.clock.now());
      const first = [charge(sale(a)), charge(sale(b))];
      const settled: string[] = [];
      late = charge(blocked).then(
        () => settled.push('blocked'),
        () => settled.push('blocked'),
      );
      const others = [
        ...first,
        charge(sale(d)),
        charge(sale(d)),
        ...(locked === 'balance' ? [] : [charge(sale(c))]),
      ];
      for (const { outcome } of await Promise.all(others)) expect(outcome).toBe('charged');
      expect(settled).toEqual([]);
      if (locked === 'offer id')
        await tx.query('DELETE FROM offer_payments WHERE offer_id = $1', [blocked.offerId]);
    });
    await late;
    expect(await test.balance(c)).toBe(locked === 'balance' ? 9n : 8n);
    expect(await test.balance(d)).toBe(8n);
  });

  it('are charged once when the answer to their statement is lost', async () => {
    const four = await books(4);
    let lost = 0;
    const billing = withQuery(test.billing, async (on, statement, values) => {
      const rows = await on.query(statement, values);
      if ((values?.[0] as unknown[] | undefined)?.length !== 2) return rows;
      lost += 1;
      throw serviceUnavailable('postgres: the connection was lost');
    });
    const queue = createChargeQueue(billing);
    const answers = await Promise.all(four.map((book) => queue.charge(sale(book), test.clock.now())));
    expect(answers.map(shown)).toEqual(four.map(() => 'charged, 9 left'));
    expect(lost).toBe(1);
    for (const book of four) expect(await test.balance(book)).toBe(9n);
  });

  it('do not fail each other at two replicas that charge the same balances and offers in opposite orders', async () => {
    const eight = await books(8);
    const sales = [...eight, ...eight, ...eight].map((book) => sale(book));
    const replicas = [createChargeQueue(test.billing), createChargeQueue(test.billing)];
    const answers = await Promise.all(
      replicas.flatMap((queue, place) =>
        (place === 0 ? sales : sales.toReversed()).map((one) => queue.charge(one, test.clock.now())),
      ),
    );
    expect(answers.filter(({ outcome }) => outcome === 'charged')).toHaveLength(48);
    for (const book of eight) expect(await test.balance(book)).toBe(7n);
  });
});

describe('the same offer id', () => {
  it('is charged once by 20 charges at once, and each gets the answer of the first', async () => {
    const [book, offerId] = [await bookWith(100_00n), test.newOfferId()];
    const charge = () => test.charge(book, 30_00n, offerId);
    const answers = await Promise.all(Array.from({ length: 20 }, charge));
    const first = { outcome: 'charged', chargedAt: test.clock.now().toISOString(), balanceMinor: '7000' };
    for (const answer of answers) expect(answer).toEqual(first);
    test.clock.advance(3_600_000);
    expect(await charge()).toEqual(first);
    expect(await test.balance(book)).toBe(70_00n);
  });

  it('with another amount or organisation is a fault and charges nothing', async () => {
    const [book, other, offerId] = [await bookWith(100_00n), await bookWith(100_00n), test.newOfferId()];
    await test.charge(book, 1_00n, offerId);
    for (const again of [
      test.charge(book, 2_00n, offerId),
      test.charge(other, 1_00n, offerId),
      test.charge({ ...book, mode: 'LIVE' }, 1_00n, offerId),
    ])
      await expect(again).rejects.toMatchObject({ status: 409 });
    expect([await test.balance(book), await test.balance(other)]).toEqual([99_00n, 100_00n]);
  });
});

it('of 50 charges at once against a balance that affords 10, exactly 10 are charged', async () => {
  const book = await bookWith(100_00n);
  const offers = Array.from({ length: 50 }, () => test.newOfferId());
  const answers = await Promise.all(
    offers.map((offerId) => untilServed(() => test.charge(book, 10_00n, offerId))),
  );
  const count = (wanted: string) => answers.filter(({ outcome }) => outcome === wanted).length;
  expect([count('charged'), count('refused')]).toEqual([10, 40]);
  expect(await test.balance(book)).toBe(0n);
});

describe('resolving the charge of an abandoned creation', () => {
  it('finds the charge that was made', async () => {
    const [book, offerId] = [await bookWith(10_00n), test.newOfferId()];
    await test.charge(book, 4_00n, offerId);
    expect(await test.resolve({ offerId, book })).toEqual({
      outcome: 'charged',
      paymentMethod: 'B',
      paymentUrl: null,
      netMinor: '400',
      vatMinor: '0',
      paidAt: test.clock.now().toISOString(),
    });
  });

  it('closes the id for ever where none was made: a late charge is refused', async () => {
    const [book, offerId] = [await bookWith(10_00n), test.newOfferId()];
    for (const _time of [1, 2]) {
      expect(await test.resolve({ offerId, book })).toEqual({ outcome: 'closed' });
      expect(await test.charge(book, 4_00n, offerId)).toMatchObject({ outcome: 'refused', reason: 'closed' });
    }
    expect(await test.balance(book)).toBe(10_00n);
  });

  it('agrees with a charge at the same time', async () => {
    const book = await bookWith(100_00n);
    for (let round = 0; round < 20; round += 1) {
      const offerId = test.newOfferId();
      const both = [test.charge(book, 1_00n, offerId), test.resolve({ offerId, book })] as const;
      const [charged, resolved] = await Promise.all(both);
      expect(resolved.outcome).toBe(charged.outcome === 'charged' ? 'charged' : 'closed');
    }
  });
});
