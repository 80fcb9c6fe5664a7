/** POST /internal/play-money: made-up money for the TEST balance, and nothing of it anywhere else. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  playMoneyReply,
  type StatementReply,
  statementReply,
} from '@offer-ads/contracts/internal/billing-api';
import type { CallerContext } from '@offer-ads/contracts/internal/caller-context';
import { signedCaller, testContextSecret } from '@offer-ads/testing/caller';
import { addPlayMoney } from '../../src/balance/add-play-money.ts';
import { chargeOffer } from '../../src/balance/charge-offer.ts';
import type { Book } from '../../src/domain/ledger/ledger.ts';
import { mostBalanceMinor, mostPlayMoneyMinor, playMoneyAdded } from '../../src/domain/ledger/play-money.ts';
import { internalRoutes } from '../../src/http/internal-routes.ts';
import { balanceOf } from '../../src/ledger/ledger-store.ts';
import { type BillingUnderTest, serveRoutes, startBillingUnderTest } from '../billing-under-test.ts';

let test: BillingUnderTest;
let url: string;
const started = new AsyncDisposableStack();
beforeAll(async () => {
  test = await startBillingUnderTest();
  const routes = await serveRoutes(test, (app) => internalRoutes(app, test.billing, testContextSecret));
  url = started.use(routes).url;
});
afterAll(async () => {
  await started.disposeAsync();
  // Its check of the ledger is a part of this test.
  await test.finish();
});

async function call(method: string, path: string, caller: Partial<CallerContext>, o: object = {}) {
  const { headers, body } = o as { headers?: Record<string, string>; body?: string };
  const answer = await fetch(`${url}/internal${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      ...signedCaller({ audience: 'billing', ...caller }),
      ...headers,
    },
    ...(body !== undefined && { body }),
  });
  return { status: answer.status, body: (await answer.json()) as { message?: string } };
}
type Wish = { book: Book; key?: string | null; amountMinor?: unknown };
const add = ({ book, key = randomUUID(), amountMinor = '10000' }: Wish) =>
  call('POST', '/play-money', book, {
    headers: key === null ? {} : { 'idempotency-key': key },
    body: JSON.stringify({ amountMinor }),
  });
const statementOf = async (book: Book): Promise<StatementReply> =>
  statementReply.parse((await call('GET', '/statement', book)).body);
const balance = (book: Book) => balanceOf(test.billing.postgres, book);

/** Account kinds and what they hold. */
async function accountsOf({ organisationId, mode }: Book): Promise<Record<string, bigint>> {
  const rows = await test.billing.postgres.query<{ kind: string; minor: bigint }>(
    `SELECT kind, sum(amount_minor)::bigint AS minor FROM entries JOIN accounts USING (account_id)
      WHERE organisation_id = $1 AND mode = $2 GROUP BY kind`,
    [organisationId, mode],
  );
  return Object.fromEntries(rows.map(({ kind, minor }) => [kind, minor]));
}

describe('play money in TEST mode', () => {
  it('is on the balance at once, can buy an offer, and comes from a source of its own', async () => {
    const book = test.newBook();
    const answer = await add({ book });
    expect(answer.status).toBe(200);
    expect(playMoneyReply.parse(answer.body)).toEqual({
      mode: 'TEST',
      currency: 'GBP',
      amountMinor: '10000',
      balanceMinor: '10000',
    });
    const offerId = test.newOfferId();
    await chargeOffer(test.billing, { offerId, book, title: 'Tea', netMinor: 4_000n }, test.clock.now());
    expect(await accountsOf(book)).toEqual({
      'play-money': -10_000n,
      'prepaid-balance': 6_000n,
      sales: 4_000n,
    });
  });

  it('stands in the statement as what it is, and makes neither invoice, event nor VAT', async () => {
    const book = test.newBook();
    await add({ book, key: 'a-key-of-mine' });
    const { entries, closingBalanceMinor } = await statementOf(book);
    expect(closingBalanceMinor).toBe('10000');
    expect(entries).toEqual([
      {
        bookedAt: expect.any(String),
        kind: 'play-money',
        offerId: null,
        title: null,
        cause: `play money ${book.organisationId} a-key-of-mine`,
        amountMinor: '10000',
        balanceMinor: '10000',
        card: null,
      },
    ]);
    const { postgres } = test.billing;
    const of = [book.organisationId];
    expect(await postgres.query('SELECT FROM invoices WHERE organisation_id = $1', of)).toEqual([]);
    const told = await postgres.query("SELECT FROM outbox WHERE event->'data'->>'organisationId' = $1", [
      `${book.organisationId}`,
    ]);
    expect(told).toEqual([]);
  });

  it('is added once for a key, however often and however much at once it is asked for', async () => {
    const book = test.newBook();
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 8 }, () => add({ book, key })));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(await balance(book)).toBe(10_000n);
    expect(await add({ book, key, amountMinor: '10001' })).toMatchObject({ status: 422 });
    // The key of another organisation is another one.
    const other = test.newBook();
    expect((await add({ book: other, key })).status).toBe(200);
    expect(await balance(other)).toBe(10_000n);
  });

  it('brings a balance to its most and no further, also by two at once; what was refused can be asked again', async () => {
    const book = test.newBook();
    await test.topUp(book, mostBalanceMinor('GBP') - 15_000n);
    const key = randomUUID();
    const answers = await Promise.all([add({ book, key }), add({ book }), add({ book })]);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(2);
    expect(answers.find(({ status }) => status === 409)?.body.message).toBe(
      'Play money brings a balance to 99999999.00 GBP at most',
    );
    expect(await balance(book)).toBe(mostBalanceMinor('GBP') - 5_000n);
    const charge = { offerId: test.newOfferId(), book, title: '', netMinor: 10_000n };
    await chargeOffer(test.billing, charge, test.clock.now());
    expect((await add({ book, key })).status).toBe(200);
  });

  it.each([
    ['no key', { key: null }, 400, 'The Idempotency-Key header is missing'],
    ['a key that is none', { key: 'x'.repeat(256) }, 400, /^Idempotency-Key must be 1 to 255/],
    ['nothing', { amountMinor: '0' }, 400, /^amountMinor: must be above zero and at most 999999.99 GBP$/],
    ['less than nothing', { amountMinor: '-1' }, 400, /amountMinor/],
    ['too much', { amountMinor: `${mostPlayMoneyMinor('GBP') + 1n}` }, 400, /at most 999999.99 GBP/],
    ['a number', { amountMinor: 100 }, 400, /amountMinor/],
  ])('of %s is refused and books nothing', async (_what, wish, status, message) => {
    const book = test.newBook();
    const answer = await add({ book, ...wish });
    expect(answer.status).toBe(status);
    expect(answer.body.message).toMatch(message);
    expect(await accountsOf(book)).toEqual({});
  });

  it('is refused in a currency that nobody can be billed in', async () => {
    const answer = await add({ book: test.newBook({ currency: 'JPY' }) });
    expect(answer).toMatchObject({
      status: 400,
      body: { message: 'The billing currency JPY cannot be billed' },
    });
  });
});

describe('play money in LIVE mode', () => {
  it('does not exist: not as a path, not as a booking, not as an account', async () => {
    const book = test.newBook({ mode: 'LIVE' });
    const answer = await add({ book });
    expect([answer.status, answer.body]).toEqual([404, { message: 'Not found' }]);
    const order = { book, idempotencyKey: 'k', amountMinor: 1n };
    expect(await addPlayMoney(test.billing.postgres, order, test.clock.now())).toEqual({
      ok: false,
      refusal: { reason: 'not-test-mode' },
    });
    expect(() => playMoneyAdded(book, 'k', 1n)).toThrow('LIVE');
    await test.topUp(book, 5_000n);
    const insert = `INSERT INTO accounts (organisation_id, mode, currency, kind) VALUES ($1, 'LIVE', 'GBP', 'play-money')`;
    await expect(test.billing.postgres.query(insert, [book.organisationId])).rejects.toMatchObject({
      constraint: 'play_money_is_for_tests',
    });
    expect(await accountsOf(book)).toEqual({ 'top-up-source': -5_000n, 'prepaid-balance': 5_000n });
  });
});
