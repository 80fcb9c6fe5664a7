/** Statement and threshold over HTTP: whose they are is the caller context's word, and faults name the field. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  lowBalanceReply,
  type StatementReply,
  statementReply,
} from '@offer-ads/contracts/internal/billing-api';
import { adminToken, adminTokenHashes } from '@offer-ads/testing/admin';
import { signedCaller, testContextSecret } from '@offer-ads/testing/caller';
import type { Book } from '../../src/domain/ledger/ledger.ts';
import { adminRoutes } from '../../src/http/admin-routes.ts';
import { internalRoutes } from '../../src/http/internal-routes.ts';
import { type BillingUnderTest, serveRoutes, startBillingUnderTest } from '../billing-under-test.ts';

const started = new AsyncDisposableStack();
let test: BillingUnderTest;
let url: string;

beforeAll(async () => {
  test = await startBillingUnderTest();
  const server = started.use(
    await serveRoutes(test, (app) => {
      internalRoutes(app, test.billing, testContextSecret);
      adminRoutes(app, test.billing, adminTokenHashes);
    }),
  );
  url = server.url;
});
afterAll(async () => {
  await started.disposeAsync();
  await test.finish();
});

async function ask(method: string, path: string, headers: Record<string, string>, json?: unknown) {
  const reply = await fetch(`${url}${path}`, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
  return { status: reply.status, body: await reply.json() };
}
const as = (book: Book, method: string, path: string, json?: unknown) =>
  ask(method, `/internal${path}`, signedCaller({ audience: 'billing', ...book }), json);
const asAdmin = (method: string, path: string, json?: unknown) =>
  ask(method, `/admin/balances${path}`, { authorization: `Bearer ${adminToken}` }, json);

async function toppedUp(times: number): Promise<Book> {
  const book = test.newBook();
  for (let one = 0; one < times; one += 1) {
    await test.topUp(book, 5_00n);
    test.clock.advance(60_000);
  }
  return book;
}
const query = (filters: Readonly<Record<string, string | number>>) => {
  const texts = Object.entries(filters).map(([name, value]) => [name, `${value}`] as [string, string]);
  return new URLSearchParams(texts).toString();
};

describe('GET /internal/statement', () => {
  it('gives the period that was asked for, page by page, and the platform team the same', async () => {
    const from = test.clock.now().toISOString();
    const book = await toppedUp(3);
    const period = { from, to: test.clock.now().toISOString() };
    const first = await as(book, 'GET', `/statement?${query({ ...period, limit: 2 })}`);
    expect(first.status).toBe(200);
    const page: StatementReply = statementReply.parse(first.body);
    expect(page.entries.map((entry) => entry.balanceMinor)).toEqual(['1500', '1000']);
    const cursor = page.nextCursor ?? '';
    const second = await as(book, 'GET', `/statement?${query({ ...period, limit: 2, cursor })}`);
    expect(second.body).toMatchObject({
      openingBalanceMinor: '0',
      closingBalanceMinor: '1500',
      entries: [{ balanceMinor: '500' }],
      nextCursor: null,
    });
    const whole = await as(book, 'GET', `/statement?${query(period)}`);
    expect(await asAdmin('GET', `/statement?${query({ ...book, ...period })}`)).toEqual(whole);
  });

  it('shows nothing of another organisation or mode', async () => {
    const book = await toppedUp(1);
    for (const other of [test.newBook(), { ...book, mode: 'LIVE' as const }])
      expect((await as(other, 'GET', '/statement')).body).toMatchObject({ entries: [] });
  });

  it.each([
    ['from=yesterday', 'from: '],
    ['to=2026-01-01T00:00:00', 'to: '],
    ['from=2026-01-02T00:00Z&to=2026-01-02T00:00Z', 'to: must be after from'],
    ['limit=0', 'limit: '],
    ['limit=201', 'limit: '],
    ['cursor=x', 'cursor: must be the nextCursor of a page before'],
  ])('refuses %s with a 400 that begins %j', async (text, message) => {
    const reply = await as(test.newBook(), 'GET', `/statement?${text}`);
    expect(reply).toEqual({ status: 400, body: { message: expect.stringContaining(message) } });
  });
});

describe('/internal/low-balance-threshold', () => {
  it('is set, shown and taken away by whoever it belongs to', async () => {
    const book = await toppedUp(1);
    const standing = { mode: 'TEST', currency: 'GBP', balanceMinor: '500' };
    const set = { status: 200, body: { ...standing, thresholdMinor: '501', isLow: true } };
    expect(await as(book, 'PUT', '/low-balance-threshold', { thresholdMinor: '501' })).toEqual(set);
    expect(await as(book, 'GET', '/low-balance-threshold')).toEqual(set);
    expect(await asAdmin('GET', `/threshold?${query(book)}`)).toEqual(set);
    const none = { status: 200, body: { ...standing, thresholdMinor: null, isLow: false } };
    expect(await asAdmin('PUT', '/threshold', { ...book, thresholdMinor: null })).toEqual(none);
    expect(await as(book, 'GET', '/low-balance-threshold')).toEqual(none);
  });

  it.each([
    [{}],
    [{ thresholdMinor: '0' }],
    [{ thresholdMinor: '-5' }],
    [{ thresholdMinor: '1.5' }],
    [{ thresholdMinor: 5 }],
    [{ thresholdMinor: '9'.repeat(19) }],
    [undefined],
  ])('refuses %j with a 400 that names the field, and keeps what was set', async (body) => {
    const book = await toppedUp(1);
    await as(book, 'PUT', '/low-balance-threshold', { thresholdMinor: '7' });
    const refused = await as(book, 'PUT', '/low-balance-threshold', body);
    expect(refused).toEqual({ status: 400, body: { message: expect.stringMatching(/^thresholdMinor: /) } });
    const { body: kept } = await as(book, 'GET', '/low-balance-threshold');
    expect(lowBalanceReply.parse(kept).thresholdMinor).toBe('7');
  });

  it('takes the greatest amount that money can be', async () => {
    const thresholdMinor = '9'.repeat(18);
    const reply = await as(test.newBook(), 'PUT', '/low-balance-threshold', { thresholdMinor });
    expect(reply.body).toMatchObject({ thresholdMinor, isLow: true });
  });
});

it('nobody without a caller context or the credential is answered', async () => {
  for (const path of ['/internal/statement', '/internal/low-balance-threshold', '/admin/balances/statement'])
    expect((await ask('GET', path, {})).status).toBe(401);
  expect((await ask('PUT', '/admin/balances/threshold', {}, {})).status).toBe(401);
});
