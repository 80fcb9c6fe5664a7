import { describe, expect, it } from '@jest/globals';
import { signedCaller } from '@offer-ads/testing/caller';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { Book } from '../../src/domain/ledger/ledger.ts';
import { untilServed, useBilling } from '../billing-under-test.ts';

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

it('charges of the same offers and balances in opposite orders neither fail each other nor are made twice', async () => {
  const books = await Promise.all(Array.from({ length: 8 }, () => bookWith(10n)));
  const offers = [...books, ...books, ...books].map((book) => ({ book, offerId: test.newOfferId() }));
  const answers = await Promise.all(
    [...offers, ...offers.toReversed()].map(({ book, offerId }) => test.charge(book, 1n, offerId)),
  );
  expect(answers.filter(({ outcome }) => outcome === 'charged')).toHaveLength(48);
  for (const book of books) expect(await test.balance(book)).toBe(7n);
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
