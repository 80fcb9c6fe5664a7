/** The internal admin routes of pricing. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ratesReply } from '@offer-ads/contracts/admin/pricing-api';
import { adminToken } from '@offer-ads/testing/admin';
import { london, member } from './people.ts';
import { type PricingUnderTest, startPricingUnderTest } from './pricing-under-test.ts';

const now = '2026-11-20T18:00:00.000Z';
let pricing: PricingUnderTest;

beforeAll(async () => {
  pricing = await startPricingUnderTest(now);
});
afterAll(async () => {
  await pricing[Symbol.asyncDispose]();
});

async function estimate(changes: object = {}, currency = 'GBP') {
  const form = {
    start_datetime: '2026-12-01T00:00:00Z',
    end_datetime: '2026-12-02T00:00:00Z',
    location: [london.latitude, london.longitude],
    radius: 30,
    ...changes,
  };
  return (await pricing.post('/offers/price-estimate', form, { currency })).body;
}

async function matching(changes: object = {}): Promise<unknown> {
  return (await estimate(changes)).matching_users;
}

describe('importing members', () => {
  it('stores each line at once, and a second import replaces them', async () => {
    const members = Array.from({ length: 1_200 }, (_, index) => member(index + 1));
    expect(await pricing.importMembers(members)).toEqual({
      status: 200,
      body: { imported: 1_200, counted: true },
    });
    expect(await matching()).toBe(1_200);
    expect(await pricing.importMembers([member(1, { banned: true }), member(2, { active: false })])).toEqual({
      status: 200,
      body: { imported: 2, counted: true },
    });
    expect(await matching()).toBe(1_198);
    await pricing.importMembers([member(1), member(2)]);
    expect(await matching()).toBe(1_200);
  });

  it('stops at the first line that is no member and says which and how many were stored', async () => {
    const beforeFault = [member(5_001), member(5_002)];
    const reply = await pricing.importMembers([
      ...beforeFault,
      member(5_003, { latitude: 91 }),
      member(5_004),
    ]);
    expect(reply).toEqual({
      status: 400,
      body: {
        message: 'line 3 has a missing or invalid latitude; imported before it: 2',
        imported: 2,
        line: 3,
      },
    });
    expect(await matching()).toBe(1_202);
  });

  it('refuses a line without end while it is still being sent', async () => {
    const endless = '{"member_id": 1, "gender": "'.padEnd(2_000_000, 'x');
    expect(await pricing.admin('/admin/members/import', endless)).toMatchObject({
      status: 400,
      body: { line: 1 },
    });
  });
});

describe('refreshing the rates', () => {
  beforeEach(() => pricing.setRatesFaults({}));

  it('gives the date of the fixing and the currencies that it has', async () => {
    const { status, body } = await pricing.admin('/admin/rates/refresh');
    expect(status).toBe(200);
    expect(body).toEqual({ date: '2026-11-20', currencies: expect.arrayContaining(['GBP', 'JPY', 'USD']) });
  });

  it('says that the feed is down and keeps the last good rates', async () => {
    await pricing.setRatesFaults({ down: true });
    const message = 'Rates not refreshed: the feed answered 503';
    expect(await pricing.admin('/admin/rates/refresh')).toEqual({ status: 502, body: { message } });
    expect(await estimate({}, 'USD')).toMatchObject({ exchange_rate_date: '2026-11-20' });
  });

  it('keeps the last good rates when a currency jumps, until somebody accepts that very fixing', async () => {
    await pricing.setRatesFaults({ factors: { USD: 1.3 } });
    const { status, body } = await pricing.admin('/admin/rates/refresh');
    expect({ status, body }).toEqual({
      status: 409,
      body: {
        message: expect.stringMatching(/^Rates not refreshed: USD moved by more than 20 %.*2026-11-20$/),
      },
    });
    expect(await estimate({}, 'USD')).toMatchObject({ exchange_rate_per_gbp: 1.32631 });
    const accepting = (acceptJump: string) =>
      pricing.admin('/admin/rates/refresh', JSON.stringify({ acceptJump }));
    expect((await accepting('2026-11-19')).status).toBe(409);
    expect((await accepting('yes')).status).toBe(400);
    expect((await accepting('2026-11-20')).status).toBe(200);
    // 1.1582 x 1.3 = 1.50566, / 0.87325 = 1.72420269...
    expect(await estimate({}, 'USD')).toMatchObject({ exchange_rate_per_gbp: 1.724203 });
    await pricing.setRatesFaults({});
    expect((await accepting('2026-11-20')).status).toBe(200);
  });
});

describe('the state of the rates', () => {
  beforeEach(() => pricing.setRatesFaults({}));
  const standing = async () => {
    const reply = await fetch(`${pricing.url}/admin/rates`, {
      headers: { authorization: `Bearer ${adminToken}` },
    });
    return ratesReply.parse(await reply.json());
  };

  it('has the fixing in use, its age, and the price of a pound in each billed currency', async () => {
    await pricing.admin('/admin/rates/refresh');
    const { perGbp, ...facts } = await standing();
    expect(facts).toEqual({ date: '2026-11-20', missingFixings: 0, outOfDate: false, refused: null });
    expect(perGbp).toEqual(
      expect.arrayContaining([
        { currency: 'GBP', rate: '1' },
        { currency: 'USD', rate: '1.32631' },
      ]),
    );
  });

  it('names a fixing that jumps with the rates before and after, until it is accepted', async () => {
    await pricing.admin('/admin/rates/refresh');
    await pricing.setRatesFaults({ factors: { USD: 1.3 } });
    await pricing.admin('/admin/rates/refresh');
    const { refused } = await standing();
    expect(refused).toMatchObject({
      reason: 'jump',
      jump: {
        date: '2026-11-20',
        currencies: [{ currency: 'USD', lastPerEuro: '1.1582', perEuro: '1.50566' }],
      },
    });
    await pricing.admin('/admin/rates/refresh', JSON.stringify({ acceptJump: '2026-11-20', reason: 'true' }));
    expect((await standing()).refused).toBeNull();
    await pricing.setRatesFaults({});
    await pricing.admin('/admin/rates/refresh', JSON.stringify({ acceptJump: '2026-11-20' }));
  });
});

describe('every admin route', () => {
  it.each(['/admin/members/import', '/admin/rates/refresh', '/admin/parked/replay'])(
    '%s needs the credential',
    async (path) => {
      expect((await fetch(pricing.url + path, { method: 'POST' })).status).toBe(401);
    },
  );
});
