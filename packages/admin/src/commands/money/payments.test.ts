import { describe, expect, it } from '@jest/globals';
import { adminUnderTest, runWith } from '../../../test/admin-under-test.ts';
import { ServiceUnreachable } from '../../service-calls.ts';
import { Refused, type Tools } from '../../tools.ts';

const { adminJson, received, replies } = adminUnderTest();

/** The stand-in answers for offers and for billing, so this has the facts of both. */
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
  it('reads all pages, and succeeds when nothing differs', async () => {
    replies['GET /admin/payments?after=0&limit=1000'] = { payments: [payment(3), payment(7)] };
    replies['GET /admin/payments?after=7&limit=1000'] = { payments: [] };
    expect(await adminJson('payments check')).toEqual({
      status: 0,
      result: { ok: true, compared: 2, repaired: [], failed: [], problems: [] },
    });
    expect(received).toHaveLength(4);
  });

  it('waits for services that cannot be reached yet, as long as --wait says', async () => {
    let away = 2;
    const call: Tools['call'] = async (owner) => {
      if (owner === 'billing' && away-- > 0) throw new ServiceUnreachable('billing cannot be reached');
      return { payments: [] };
    };
    const { status, result } = await runWith('payments check --wait 30', call);
    expect({ status, result }).toMatchObject({ status: 0, result: { ok: true } });
    away = 1;
    expect(await runWith('payments check', call)).toMatchObject({ status: 1 });
  });

  it('checks each difference again, lists it, and fails', async () => {
    const uncredited = payment(7, { over: true, creditedMinor: '0' });
    replies['GET /admin/payments?after=0&limit=1000'] = {
      payments: [payment(3, { creditedMinor: '900' }), uncredited],
    };
    replies['GET /admin/payments?after=7&limit=1000'] = { payments: [] };
    // This difference is gone by now.
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

  it('lists repairs that failed, makes the others, and skips what was paid by card', async () => {
    const { status, result } = await runWith('payments check --repair yes', async (owner, route, o) => {
      if (route.endsWith('/3/charge')) throw new Refused('offers: Not from a balance', 409);
      if (route.endsWith('/5/charge')) throw new Refused('offers: Try again later', 503);
      if (route.startsWith('POST')) return { offerId: 7, outcome: 'charged' };
      const { after = 0, limit = 0 } = o?.query ?? {};
      const payments = [3, 5, 7].filter((id) => id > Number(after)).map((id) => payment(id));
      return { payments: owner === 'offers' ? payments.slice(0, Number(limit)) : [] };
    });
    expect(status).toBe(1);
    expect(result).toMatchObject({
      repaired: [{ offerId: 7, outcome: 'charged' }],
      failed: [{ offerId: 5, reason: 'offers: Try again later (HTTP 503)' }],
    });
  });

  it('repairs nothing while offers is empty, as it is before its restore', async () => {
    const asked: string[] = [];
    const call: Tools['call'] = async (owner, route, o) => {
      asked.push(`${route.split(' ')[0]} ${owner}`);
      const isListed = owner === 'billing' && Number(o?.query?.['after']) < 7;
      return { payments: isListed ? [payment(7)] : [] };
    };
    const repair = await runWith('payments check --repair yes', call);
    expect(repair).toEqual({ status: 1, result: { error: expect.stringContaining('restore offers first') } });
    expect(asked).not.toContain('POST billing');
    const check = await runWith('payments check', call);
    expect(check).toMatchObject({ status: 1, result: { problems: [{ problem: 'unknown-to-offers' }] } });
  });
});
