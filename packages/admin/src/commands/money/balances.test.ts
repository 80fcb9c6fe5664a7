import { describe, expect, it } from '@jest/globals';
import { adminUnderTest } from '../../../test/admin-under-test.ts';

const { adminJson, received, replies } = adminUnderTest();

describe('balances', () => {
  const organisation = (currency: string) => {
    const names = { name: 'Tea House Ltd', tradingName: 'Tea', adminEmail: 'ann@tea.example' };
    replies['GET /admin/organisations/3'] = { id: 3, ...names, country: 'GB', currency };
  };

  it("are shown in the organisation's currency", async () => {
    organisation('EUR');
    const book = { organisationId: 3, mode: 'TEST', currency: 'EUR' };
    replies['GET /admin/balances?organisationId=3&mode=TEST&currency=EUR'] = { ...book, balanceMinor: '-5' };
    expect(await adminJson('balance show --org 3 --mode test')).toEqual({
      status: 0,
      result: { org: 3, mode: 'TEST', currency: 'EUR', balance: '-0.05' },
    });
  });

  it('are topped up by the exact amount, under a new reference each time', async () => {
    organisation('GBP');
    const book = { organisationId: 3, mode: 'LIVE', currency: 'GBP' };
    replies['POST /admin/balances/top-up'] = { ...book, balanceMinor: '12345678901234567' };
    const words = 'balance top-up --org 3 --mode live --amount 90071992547409.93';
    expect(await adminJson(words)).toEqual({
      status: 0,
      result: {
        org: 3,
        mode: 'LIVE',
        currency: 'GBP',
        balance: '123456789012345.67',
        reference: expect.stringMatching(/^admin-[0-9a-f-]{36}$/),
      },
    });
    await adminJson(words);
    const [first, second] = received.filter(({ call }) => call.startsWith('POST')).map(({ body }) => body);
    expect(first).toEqual({
      organisationId: 3,
      mode: 'LIVE',
      currency: 'GBP',
      amountMinor: '9007199254740993',
      reference: expect.any(String),
    });
    expect(second).not.toEqual(first);
  });

  it('tell the reference of a top-up without an answer, with which it is not booked twice', async () => {
    organisation('GBP');
    const words = 'balance top-up --org 3 --mode live --amount 10.00';
    const { status, result } = await adminJson(words);
    const order = received.find(({ call }) => call.startsWith('POST'));
    const reference = String((order?.body as { reference?: unknown } | undefined)?.reference);
    expect([status, result]).toEqual([
      1,
      { error: expect.stringMatching(new RegExp(`; if you repeat it, add --reference ${reference}$`)) },
    ]);
    await adminJson(`${words} --reference ${reference}`);
    expect(received.at(-1)?.body).toEqual(order?.body);
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
    expect(received.filter(({ call }) => call.startsWith('POST'))).toEqual([]);
  });

  it('have a statement in amounts of their currency, page by page', async () => {
    organisation('GBP');
    const line = { bookedAt: '2026-06-01T12:00:00.000Z', offerId: 7, title: 'Two for one' };
    const minor = { openingBalanceMinor: '5000', closingBalanceMinor: '3800' };
    const query = 'organisationId=3&mode=LIVE&currency=GBP&from=2026-06-01T00%3A00%3A00Z&limit=2';
    replies[`GET /admin/balances/statement?${query}`] = {
      mode: 'LIVE',
      currency: 'GBP',
      ...minor,
      entries: [
        {
          ...line,
          kind: 'offer-card-payment',
          cause: 'offer 7 paid by card',
          amountMinor: '0',
          balanceMinor: '3800',
          card: { netMinor: '1000', vatMinor: '200' },
        },
        {
          ...line,
          kind: 'offer-charge',
          cause: 'offer 7 charged',
          amountMinor: '-1200',
          balanceMinor: '3800',
          card: null,
        },
      ],
      nextCursor: 'c-2',
    };
    const words = 'balance statement --org 3 --mode live --from 2026-06-01T00:00:00Z --limit 2';
    expect(await adminJson(words)).toEqual({
      status: 0,
      result: {
        entries: [
          {
            ...line,
            kind: 'offer-card-payment',
            cause: 'offer 7 paid by card',
            amount: '0.00',
            balance: '38.00',
            cardNet: '10.00',
            cardVat: '2.00',
          },
          {
            ...line,
            kind: 'offer-charge',
            cause: 'offer 7 charged',
            amount: '-12.00',
            balance: '38.00',
            cardNet: null,
            cardVat: null,
          },
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

  it('have a threshold that is shown, set and taken away', async () => {
    organisation('GBP');
    const standing = { mode: 'TEST', currency: 'GBP', balanceMinor: '900' };
    replies['GET /admin/balances/threshold?organisationId=3&mode=TEST&currency=GBP'] = {
      ...standing,
      thresholdMinor: null,
      isLow: false,
    };
    replies['PUT /admin/balances/threshold'] = { ...standing, thresholdMinor: '1000', isLow: true };
    const book = { org: 3, mode: 'TEST', currency: 'GBP', balance: '9.00' };
    const words = 'balance threshold --org 3 --mode test';
    expect(await adminJson(words)).toEqual({ status: 0, result: { ...book, threshold: null, isLow: false } });
    expect(await adminJson(`${words} --amount 10.00`)).toEqual({
      status: 0,
      result: { ...book, threshold: '10.00', isLow: true },
    });
    await adminJson(`${words} --amount none`);
    const orders = received.filter(({ call }) => call.startsWith('PUT')).map(({ body }) => body);
    const of = { organisationId: 3, mode: 'TEST', currency: 'GBP' };
    expect(orders).toEqual([
      { ...of, thresholdMinor: '1000' },
      { ...of, thresholdMinor: null },
    ]);
    expect(await adminJson(`${words} --amount 0`)).toMatchObject({ status: 1 });
  });

  it('show what the card provider took back, in the words of people', async () => {
    const reversal = {
      id: 're_1',
      kind: 'refund',
      mode: 'LIVE',
      currency: 'GBP',
      status: 'succeeded',
      reason: null,
      heardAt: '2026-06-01T12:00:00.000Z',
      taken: true,
      returned: false,
      organisationId: 3,
      offerId: 7,
      topUpId: null,
      booked: true,
      settlement: null,
    };
    const owing = { organisationId: 3, offerId: 7, mode: 'LIVE', currency: 'GBP' };
    replies['GET /admin/card-problems?limit=5'] = {
      reversals: [{ ...reversal, amountMinor: '1250' }],
      owed: [{ ...owing, creditedMinor: '1000', owedMinor: '750' }],
      payments: [],
    };
    expect(await adminJson('card problems --limit 5')).toEqual({
      status: 0,
      result: {
        reversals: [{ ...reversal, amount: '12.50' }],
        owed: [{ ...owing, credited: '10.00', owed: '7.50' }],
        payments: [],
      },
    });
  });

  it('settle a refund by a decision of a person, with a reason', async () => {
    const decided = {
      reason: 'goodwill',
      decidedBy: 'ann',
      settledAt: '2026-06-01T12:00:00.000Z',
      givenBack: false,
    };
    const of = { id: 're-1', kind: 'refund', mode: 'LIVE', currency: 'GBP', borneBy: 'platform', ...decided };
    replies['POST /admin/card-problems/settle'] = { ...of, amountMinor: '1250' };
    expect(await adminJson('card settle re-1 --by platform --reason goodwill')).toEqual({
      status: 0,
      result: { ...of, amount: '12.50' },
    });
    expect(received[0]?.body).toEqual({ id: 're-1', borneBy: 'platform', reason: 'goodwill' });
    expect(await adminJson('card settle re-1 --by nobody --reason goodwill')).toMatchObject({ status: 1 });
    expect(await adminJson('card settle re-1 --by platform')).toMatchObject({ status: 1 });
  });

  it('that add up are counted, and nothing else is said', async () => {
    replies['GET /admin/ledger/check'] = { ok: true, transactions: 4, problems: [] };
    expect(await adminJson('ledger check')).toEqual({ status: 0, result: { ok: true, transactions: 4 } });
  });

  it('that do not add up make the check fail, with its findings printed', async () => {
    const findings = { ok: false, transactions: 4, problems: ['account 2'] };
    replies['GET /admin/ledger/check'] = findings;
    expect(await adminJson('ledger check')).toEqual({ status: 1, result: findings });
  });
});
