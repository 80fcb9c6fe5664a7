/** POST /internal/play-money */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { playMoneyReply, statementReply } from '@offer-ads/contracts/internal/billing-api';
import { addPlayMoney } from '../../src/balance/add-play-money.ts';
import type { Book } from '../../src/domain/ledger/ledger.ts';
import { maxBalanceMinor, maxPlayMoneyMinor, playMoneyAdded } from '../../src/domain/ledger/play-money.ts';
import { useBilling } from '../billing-under-test.ts';

const test = useBilling();

type Wish = { book: Book; key?: string | null; amountMinor?: unknown };
const add = ({ book, key = randomUUID(), amountMinor = '10000' }: Wish) =>
  test.as(book, 'POST', '/play-money', { amountMinor }, key === null ? {} : { 'idempotency-key': key });

describe('play money in TEST mode', () => {
  it('is on the balance at once, buys offers, and comes from an account of its own', async () => {
    const book = test.newBook();
    const { body } = await add({ book });
    const added = { mode: 'TEST', currency: 'GBP', amountMinor: '10000', balanceMinor: '10000' };
    expect(playMoneyReply.parse(body)).toEqual(added);
    await test.charge(book, 40_00n);
    const accounts = { 'play-money': -100_00n, 'prepaid-balance': 60_00n, sales: 40_00n };
    expect(await test.accounts(book)).toEqual(accounts);
  });

  it('has its own kind in the statement, and makes no invoice, no event and no VAT', async () => {
    const book = test.newBook();
    await add({ book, key: 'a-key-of-mine' });
    const { entries } = statementReply.parse((await test.as(book, 'GET', '/statement')).body);
    const cause = `play money ${book.organisationId} a-key-of-mine`;
    expect(entries).toMatchObject([{ kind: 'play-money', cause, amountMinor: '10000', card: null }]);
    const invoices = 'SELECT FROM invoices WHERE organisation_id = $1';
    expect(await test.billing.postgres.query(invoices, [book.organisationId])).toEqual([]);
    const events = "SELECT FROM outbox WHERE event->'data'->>'organisationId' = $1";
    expect(await test.billing.postgres.query(events, [`${book.organisationId}`])).toEqual([]);
  });

  it('is added once for a key of an organisation, even by several requests at once', async () => {
    const [book, other, key] = [test.newBook(), test.newBook(), randomUUID()];
    const answers = await Promise.all(Array.from({ length: 8 }, () => add({ book, key })));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(await test.balance(book)).toBe(100_00n);
    expect(await add({ book, key, amountMinor: '10001' })).toMatchObject({ status: 422 });
    expect((await add({ book: other, key })).status).toBe(200);
    expect(await test.balance(other)).toBe(100_00n);
  });

  it('brings a balance to its maximum and no further, even by three at once; a refused key can be used again', async () => {
    const [book, key] = [test.newBook(), randomUUID()];
    await test.topUp(book, maxBalanceMinor('GBP') - 150_00n);
    const answers = await Promise.all([add({ book, key }), add({ book }), add({ book })]);
    const refused = answers.filter(({ status }) => status === 409);
    const message = 'Play money brings a balance to 99999999.00 GBP at most';
    expect(refused.map(({ body }) => body)).toEqual([{ message }, { message }]);
    expect(await test.balance(book)).toBe(maxBalanceMinor('GBP') - 50_00n);
    await test.charge(book, 100_00n);
    expect((await add({ book, key })).status).toBe(200);
  });

  it.each([
    ['no key', { key: null }, 'The Idempotency-Key header is missing'],
    ['a malformed key', { key: 'x'.repeat(256) }, /^Idempotency-Key must be 1 to 255/],
    ['nothing', { amountMinor: '0' }, /^amountMinor: must be above zero and at most 999999.99 GBP$/],
    ['less than nothing', { amountMinor: '-1' }, /amountMinor/],
    ['too much', { amountMinor: `${maxPlayMoneyMinor('GBP') + 1n}` }, /at most 999999.99 GBP/],
    ['a number', { amountMinor: 100 }, /amountMinor/],
    ['a currency that is not billed', { currency: 'JPY' }, 'The billing currency JPY cannot be billed'],
  ])(
    'is refused with a 400 and posts nothing: %s',
    async (_what, { currency, ...wish }: object & { currency?: string }, message) => {
      const book = test.newBook(currency === undefined ? {} : { currency });
      const refusal = { status: 400, body: { message: expect.stringMatching(message) } };
      expect(await add({ book, ...wish })).toMatchObject(refusal);
      expect(await test.accounts(book)).toEqual({});
    },
  );
});

it('play money does not exist in LIVE mode: not as a path, not as a posting, not as an account', async () => {
  const book = test.newBook({ mode: 'LIVE' });
  expect(await add({ book })).toMatchObject({ status: 404, body: { message: 'Not found' } });
  const order = { book, idempotencyKey: 'k', amountMinor: 1n };
  expect(await addPlayMoney(test.billing.postgres, order, test.clock.now())).toEqual({
    ok: false,
    reason: 'not-test-mode',
  });
  expect(() => playMoneyAdded(book, 'k', 1n)).toThrow('LIVE');
  await test.topUp(book, 50_00n);
  const insert = `INSERT INTO accounts (organisation_id, mode, currency, kind) VALUES ($1, 'LIVE', 'GBP', 'play-money')`;
  await expect(test.billing.postgres.query(insert, [book.organisationId])).rejects.toMatchObject({
    constraint: 'play_money_is_for_tests',
  });
  expect(await test.accounts(book)).toEqual({ 'top-up-source': -50_00n, 'prepaid-balance': 50_00n });
});
