import { describe, expect, it } from '@jest/globals';
import { adminUnderTest } from '../../../test/admin-under-test.ts';
import { runAdmin } from '../../run.ts';
import { Refused, type Tools } from '../../tools.ts';

const { adminJson, received, replies } = adminUnderTest();

/** The stand-in answers for offers and for billing: what both say of an offer, in one. */
const payment = (offerId: number, o: { over?: boolean; creditedMinor?: string } = {}) => ({
  offerId,
  organisationId: 1,
  mode: 'TEST',
  currency: 'GBP',
  netMinor: '1000',
  paymentMethod: 'B',
  paid: true,
  shown: true,
  over: false,
  unusedMs: 500,
  scheduledMs: 1_000,
  open: false,
  creditedMinor: '500',
  ...o,
});

describe('payments check', () => {
  it('reads page after page to the end, and is content when all agrees', async () => {
    replies['GET /admin/payments?after=0&limit=1000'] = { payments: [payment(3), payment(7)] };
    replies['GET /admin/payments?after=7&limit=1000'] = { payments: [] };
    expect(await adminJson('payments check')).toEqual({
      status: 0,
      result: { ok: true, compared: 2, repaired: [], failed: [], problems: [] },
    });
    expect(received).toHaveLength(4);
  });

  it('asks once more about what does not agree, names it, and fails', async () => {
    const uncredited = payment(7, { over: true, creditedMinor: '0' });
    replies['GET /admin/payments?after=0&limit=1000'] = {
      payments: [payment(3, { creditedMinor: '900' }), uncredited],
    };
    replies['GET /admin/payments?after=7&limit=1000'] = { payments: [] };
    // It was only under way.
    replies['GET /admin/payments?after=2&limit=1'] = { payments: [payment(3)] };
    replies['GET /admin/payments?after=6&limit=1'] = { payments: [uncredited] };
    expect(await adminJson('payments check')).toEqual({
      status: 1,
      result: {
        ok: false,
        compared: 2,
        repaired: [],
        failed: [],
        problems: [{ offerId: 7, problem: 'credit-missing' }],
      },
    });
  });

  it('tells which repair did not work and why, makes the others, and is silent about what was paid by card', async () => {
    const call: Tools['call'] = async (owner, { method, path }) => {
      if (path.endsWith('/3/charge')) throw new Refused('offers: Not from a balance', 409);
      if (path.endsWith('/5/charge')) throw new Refused('offers: Try again later', 503);
      if (method === 'POST') return { offerId: 7, outcome: 'charged' };
      const after = Number(/after=(\d+)/.exec(path)?.[1]);
      const payments = [3, 5, 7].filter((id) => id > after).map((id) => payment(id));
      return { payments: owner === 'offers' ? payments.slice(0, path.includes('limit=1&') ? 1 : 3) : [] };
    };
    const said: string[] = [];
    const say = (line: string) => void said.push(line);
    const words = ['payments', 'check', '--repair', 'yes', '--json'];
    expect(await runAdmin(words, () => ({ call }) as unknown as Tools, { out: say, err: say })).toBe(1);
    expect(JSON.parse(said.join('\n'))).toMatchObject({
      repaired: [{ offerId: 7, outcome: 'charged' }],
      failed: [{ offerId: 5, reason: 'offers: Try again later (HTTP 503)' }],
    });
  });

  it('repairs nothing while offers is empty, as it is before it is restored', async () => {
    const asked: string[] = [];
    const call: Tools['call'] = async (owner, { method, path }) => {
      asked.push(`${method} ${owner}`);
      const isListed = owner === 'billing' && /after=[0-6]&/.test(path);
      return method === 'POST'
        ? { offerId: 7, outcome: 'credited' }
        : { payments: isListed ? [payment(7)] : [] };
    };
    const said: string[] = [];
    const say = (line: string) => void said.push(line);
    const check = (...options: string[]) =>
      runAdmin(['payments', 'check', ...options, '--json'], () => ({ call }) as unknown as Tools, {
        out: say,
        err: say,
      });
    expect(await check('--repair', 'yes')).toBe(1);
    expect(said.join()).toContain('restore offers first');
    expect(asked).not.toContain('POST billing');
    expect(await check()).toBe(1);
    expect(said.join()).toContain('unknown-to-offers');
  });
});
