/** GET /balance and GET /balance/entries: the statement, in the words of the public API. */
import { describe, expect, it } from '@jest/globals';
import { balanceReply, type EntriesReply, entriesReply } from '@offer-ads/contracts/public/api';
import type { Book } from '../../src/domain/ledger/ledger.ts';
import { useBilling } from '../billing-under-test.ts';

const test = useBilling();

async function entries(book: Book, query = ''): Promise<EntriesReply> {
  const { status, body } = await test.asApiKey(book, `/balance/entries${query}`);
  expect(status).toBe(200);
  return entriesReply.parse(body);
}

describe('GET /balance', () => {
  it('is the amount in the currency, 0 before the first booking', async () => {
    const book = test.newBook();
    const of = async (other: Book) => balanceReply.parse((await test.asApiKey(other, '/balance')).body);
    expect(await of(book)).toEqual({ environment: 'TEST', currency: 'GBP', balance: 0 });
    await test.topUp(book, 12_345n);
    expect(await of(book)).toEqual({ environment: 'TEST', currency: 'GBP', balance: 123.45 });
    expect(await of({ ...book, mode: 'LIVE' })).toMatchObject({ environment: 'LIVE', balance: 0 });
    expect(await of(test.newBook())).toMatchObject({ balance: 0 });
  });
});

describe('GET /balance/entries', () => {
  it('has what was booked, the cause, the amount, the balance after it, and the offer', async () => {
    const book = test.newBook();
    await test.topUp(book, 50_00n);
    const charged = test.newOfferId();
    await test.charge(book, 12_34n, charged);
    const { offerId: paid } = await test.paidOffer({ book });
    const { data, ...others } = await entries(book);
    expect(others).toEqual({
      environment: 'TEST',
      currency: 'GBP',
      pagination: { limit: 20, count: 3, has_more: false, next_cursor: null },
    });
    const booking_datetime = test.clock.now().toISOString();
    expect(data.slice(0, 2)).toEqual([
      {
        booking_datetime,
        kind: 'offer-card-payment',
        cause: `offer ${paid} paid by card`,
        offer_id: paid,
        title: 'Two for one',
        amount: 0,
        balance_after: 37.66,
        card: { net: 10, vat: 2 },
      },
      {
        booking_datetime,
        kind: 'offer-charge',
        cause: `offer ${charged} charged`,
        offer_id: charged,
        title: 'Two for one',
        amount: -12.34,
        balance_after: 37.66,
        card: null,
      },
    ]);
    expect(data[2]).toMatchObject({ offer_id: null, title: null, amount: 50, balance_after: 50 });
  });

  it('fits together page by page while more is booked, and shows nothing of others', async () => {
    const book = test.newBook();
    for (const amount of [1n, 2n, 3n]) await test.topUp(book, amount);
    const amounts: number[] = [];
    let cursor: string | null = null;
    do {
      const page = await entries(book, `?limit=1${cursor === null ? '' : `&cursor=${cursor}`}`);
      amounts.push(...page.data.map(({ amount }) => amount));
      cursor = page.pagination.next_cursor;
      expect(page.pagination).toMatchObject({ limit: 1, count: 1, has_more: cursor !== null });
      await test.topUp(book, 9n);
    } while (cursor !== null);
    expect(amounts).toEqual([0.03, 0.02, 0.01]);
    for (const other of [{ ...book, mode: 'LIVE' as const }, test.newBook()])
      expect((await entries(other)).data).toEqual([]);
  });

  it.each([
    ['limit=0', 'limit must be a whole number from 1 to 100'],
    ['limit=101', 'limit must be a whole number from 1 to 100'],
    ['limit=1.5', 'limit must be a whole number from 1 to 100'],
    ['limit=1&limit=2', 'limit must be a whole number from 1 to 100'],
    ['cursor=', 'cursor must be the next_cursor of an earlier page'],
    ['cursor=x', 'cursor must be the next_cursor of an earlier page'],
    [
      'limit=x&cursor=a&cursor=b',
      'limit must be a whole number from 1 to 100; cursor must be the next_cursor of an earlier page',
    ],
  ])('is 400 E1 with %s', async (query, message) => {
    const { status, body } = await test.asApiKey(test.newBook(), `/balance/entries?${query}`);
    expect([status, body]).toEqual([400, { return_code: 'E1', status: 'Error', code: 400, message }]);
  });

  it("refuses a cursor of another organisation's statement", async () => {
    const book = test.newBook();
    for (const amount of [1n, 2n]) await test.topUp(book, amount);
    const { next_cursor: cursor } = (await entries(book, '?limit=1')).pagination;
    const { status } = await test.asApiKey(test.newBook(), `/balance/entries?cursor=${cursor}`);
    expect(status).toBe(400);
  });
});
