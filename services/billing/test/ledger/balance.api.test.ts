/** GET /balance and GET /balance/entries: the statement, in the words of the public API. */
import { describe, expect, it } from '@jest/globals';
import { balanceReply, type EntriesReply, entriesReply } from '@offer-ads/contracts/public/api';
import { signedCaller } from '@offer-ads/testing/caller';
import type { Book } from '../../src/domain/ledger/ledger.ts';
import { useBilling } from '../billing-under-test.ts';

const test = useBilling();

async function entries(book: Book, query = ''): Promise<EntriesReply> {
  const { status, body } = await test.asApiKey(book, `/balance/entries${query}`);
  expect(status).toBe(200);
  return entriesReply.parse(body);
}

/** A top-up, a charge and a card payment. */
async function bookWithEntries() {
  const [book, charged] = [test.newBook(), test.newOfferId()];
  await test.topUp(book, 50_00n);
  await test.charge(book, 12_34n, charged);
  const { offerId: paid } = await test.paidOffer({ book });
  return { book, charged, paid };
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
    const { book, charged, paid } = await bookWithEntries();
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
});

describe('GET /internal/statement.csv', () => {
  const file = async (book: Book, query = '') => {
    const headers = signedCaller({ audience: 'billing', ...book });
    const reply = await fetch(`${test.url}/internal/statement.csv${query}`, { headers });
    return { reply, text: Buffer.from(await reply.arrayBuffer()).toString() };
  };

  it('has the lines of the statement, with amounts as numbers', async () => {
    const { book, charged, paid } = await bookWithEntries();
    const { reply, text } = await file(book);
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(reply.headers.get('content-disposition')).toBe('attachment; filename="statement-test.csv"');
    const at = test.clock.now().toISOString();
    const lines = text.split('\r\n');
    expect(lines[0]).toBe(
      '\uFEFFBooked (UTC),Kind,Offer,Title,Currency,Amount,Balance,Card (net),Card VAT,Reference',
    );
    expect(lines.slice(1, 3)).toEqual([
      `${at},offer-card-payment,${paid},Two for one,GBP,0.00,37.66,10.00,2.00,offer ${paid} paid by card`,
      `${at},offer-charge,${charged},Two for one,GBP,-12.34,37.66,,,offer ${charged} charged`,
    ]);
    expect(lines).toHaveLength(5);
  });

  it('has the bookings of the period only, and nothing of others', async () => {
    const book = test.newBook();
    await test.topUp(book, 1n);
    const later = new Date(test.clock.now().getTime() + 1).toISOString();
    expect((await file(book, `?from=${later}`)).text.split('\r\n')).toHaveLength(2);
    expect((await file({ ...book, mode: 'LIVE' })).text.split('\r\n')).toHaveLength(2);
    expect((await file(book, '?kinds=offer-charge')).text.split('\r\n')).toHaveLength(2);
  });

  it('is refused when there are too many bookings, instead of ending in the middle', async () => {
    const book = test.newBook();
    await test.topUp(book, 1n);
    await test.billing.postgres.query(
      `WITH booked AS (
         INSERT INTO transactions (cause, kind, organisation_id, mode, currency, booked_at, balance_after_minor)
         SELECT 'many ' || n || ' of ' || $1::bigint, 'platform-top-up', $1, 'TEST', 'GBP', $2, 1 + n FROM generate_series(1, 10000) AS n
         RETURNING transaction_id),
       accounts_of AS (SELECT account_id, kind FROM accounts WHERE organisation_id = $1 AND mode = 'TEST'),
       moved AS (
         UPDATE balances SET balance_minor = balance_minor + 10000
          WHERE account_id = (SELECT account_id FROM accounts_of WHERE kind = 'prepaid-balance'))
       INSERT INTO entries SELECT transaction_id, account_id, CASE kind WHEN 'prepaid-balance' THEN 1 ELSE -1 END
         FROM booked, accounts_of WHERE kind IN ('prepaid-balance', 'top-up-source')`,
      [book.organisationId, test.clock.now()],
    );
    const { reply, text } = await file(book);
    expect(reply.status).toBe(400);
    expect(text).toContain('from: there are more than 10,000 bookings; choose a shorter period');
  });
});
