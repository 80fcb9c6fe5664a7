import { describe, expect, it } from '@jest/globals';
import { adminUnderTest } from '../../../test/admin-under-test.ts';

const { adminJson, received, replies } = adminUnderTest();

describe('balances', () => {
  const organisation = (currency: string) => {
    const names = { name: 'Tea House Ltd', tradingName: 'Tea', adminEmail: 'ann@tea.example' };
    replies['GET /admin/organisations/3'] = { id: 3, ...names, country: 'GB', currency };
  };
  const book = { organisationId: 3, mode: 'TEST', currency: 'GBP' };
  const sent = (method: string) =>
    received.filter(({ call }) => call.startsWith(method)).map(({ body }) => body);

  it("are shown in the organisation's currency", async () => {
    organisation('EUR');
    replies['GET /admin/balances?organisationId=3&mode=TEST&currency=EUR'] = {
      ...book,
      currency: 'EUR',
      balanceMinor: '-5',
    };
    expect(await adminJson('balance show --org 3 --mode test')).toEqual({
      status: 0,
      result: { org: 3, mode: 'TEST', currency: 'EUR', balance: '-0.05' },
    });
  });

  it('are topped up by the exact amount, under a new reference each time', async () => {
    organisation('GBP');
    replies['POST /admin/balances/top-up'] = { ...book, balanceMinor: '12345678901234567' };
    const words = 'balance top-up --org 3 --mode test --amount 90071992547409.93';
    expect(await adminJson(words)).toEqual({
      status: 0,
      result: {
        org: 3,
        mode: 'TEST',
        currency: 'GBP',
        balance: '123456789012345.67',
        reference: expect.stringMatching(/^admin-[0-9a-f-]{36}$/),
      },
    });
    await adminJson(words);
    const [first, second] = sent('POST');
    expect(first).toEqual({ ...book, amountMinor: '9007199254740993', reference: expect.any(String) });
    expect(second).not.toEqual(first);
  });

  it('name the reference of a top-up whose answer was lost, so that a repetition is not booked twice', async () => {
    organisation('GBP');
    const words = 'balance top-up --org 3 --mode live --amount 10.00';
    const { status, result } = await adminJson(words);
    const [order] = sent('POST') as { readonly reference: string }[];
    expect(status).toBe(1);
    const { error } = result as { readonly error: string };
    expect(error).toMatch(new RegExp(`; if you repeat it, add --reference ${order?.reference}$`));
    await adminJson(`${words} --reference ${order?.reference}`);
    expect(sent('POST')).toEqual([order, order]);
  });

  it.each([
    ['GBP', '1.234'],
    ['GBP', '0'],
    ['GBP', '1,00'],
    ['JPY', '1.5'],
  ])('are not topped up in %s by %s', async (currency, amount) => {
    organisation(currency);
    const { status, result } = await adminJson(`balance top-up --org 3 --mode test --amount ${amount}`);
    expect(status).toBe(1);
    expect(result).toEqual({ error: expect.stringContaining('--amount must be above zero') });
    expect(sent('POST')).toEqual([]);
  });

  it('have a statement with amounts in their currency, page by page', async () => {
    organisation('GBP');
    const same = { bookedAt: '2026-06-01T12:00:00.000Z', offerId: 7, groupId: null, title: 'Two for one' };
    const card = { ...same, kind: 'offer-card-payment', cause: 'offer 7 paid by card' };
    const charge = { ...same, kind: 'offer-charge', cause: 'offer 7 charged' };
    const query = 'organisationId=3&mode=LIVE&currency=GBP&from=2026-06-01T00%3A00%3A00Z&limit=2';
    replies[`GET /admin/balances/statement?${query}`] = {
      mode: 'LIVE',
      currency: 'GBP',
      openingBalanceMinor: '5000',
      closingBalanceMinor: '3800',
      sums: null,
      entries: [
        { ...card, amountMinor: '0', balanceMinor: '3800', card: { netMinor: '1000', vatMinor: '200' } },
        { ...charge, amountMinor: '-1200', balanceMinor: '3800', card: null },
      ],
      nextCursor: 'c-2',
    };
    const words = 'balance statement --org 3 --mode live --from 2026-06-01T00:00:00Z --limit 2';
    expect(await adminJson(words)).toEqual({
      status: 0,
      result: {
        entries: [
          { ...card, amount: '0.00', balance: '38.00', cardNet: '10.00', cardVat: '2.00' },
          { ...charge, amount: '-12.00', balance: '38.00', cardNet: null, cardVat: null },
        ],
        org: 3,
        mode: 'LIVE',
        currency: 'GBP',
        openingBalance: '50.00',
        closingBalance: '38.00',
        nextCursor: 'c-2',
      },
    });
  });

  it('have what they and cards brought in on each day', async () => {
    const minor = { fromBalanceMinor: '1200', byCardMinor: '0', creditedMinor: '5' };
    replies['GET /admin/balances/revenue?mode=LIVE&month=2026-10'] = {
      mode: 'LIVE',
      currencies: [
        { currency: 'GBP', days: [{ day: '2026-10-01', ...minor }] },
        { currency: 'JPY', days: [{ day: '2026-10-01', ...minor }] },
      ],
    };
    const day = { day: '2026-10-01', fromBalance: '12.00', byCard: '0.00', credited: '0.05' };
    const yen = { currency: 'JPY', fromBalance: '1200', byCard: '0', credited: '5' };
    expect(await adminJson('balance revenue --mode live --month 2026-10')).toEqual({
      status: 0,
      result: {
        days: [
          { ...day, currency: 'GBP' },
          { ...day, ...yen },
        ],
        mode: 'LIVE',
      },
    });
  });

  it('have a threshold that is shown, set and removed', async () => {
    organisation('GBP');
    const standing = { mode: 'TEST', currency: 'GBP', balanceMinor: '900' };
    replies['GET /admin/balances/threshold?organisationId=3&mode=TEST&currency=GBP'] = {
      ...standing,
      thresholdMinor: null,
      isLow: false,
    };
    replies['PUT /admin/balances/threshold'] = { ...standing, thresholdMinor: '1000', isLow: true };
    const shown = { org: 3, mode: 'TEST', currency: 'GBP', balance: '9.00' };
    const words = 'balance threshold --org 3 --mode test';
    expect(await adminJson(words)).toEqual({
      status: 0,
      result: { ...shown, threshold: null, isLow: false },
    });
    expect(await adminJson(`${words} --amount 10.00`)).toEqual({
      status: 0,
      result: { ...shown, threshold: '10.00', isLow: true },
    });
    await adminJson(`${words} --amount none`);
    expect(sent('PUT')).toEqual([
      { ...book, thresholdMinor: '1000' },
      { ...book, thresholdMinor: null },
    ]);
    expect(await adminJson(`${words} --amount 0`)).toMatchObject({ status: 1 });
  });
});

describe('the ledger check', () => {
  it('prints the number of transactions', async () => {
    replies['GET /admin/ledger/check'] = { ok: true, transactions: 4, problems: [] };
    expect(await adminJson('ledger check')).toEqual({ status: 0, result: { ok: true, transactions: 4 } });
  });

  it('fails and prints what does not add up', async () => {
    const findings = { ok: false, transactions: 4, problems: ['account 2'] };
    replies['GET /admin/ledger/check'] = findings;
    expect(await adminJson('ledger check')).toEqual({ status: 1, result: findings });
  });
});
