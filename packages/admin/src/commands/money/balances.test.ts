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
});
