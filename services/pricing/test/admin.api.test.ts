/** The internal admin routes of pricing. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { ratesReply } from '@offer-ads/contracts/admin/pricing-api';
import { adminRoutesAtPublicPort } from '@offer-ads/testing/admin';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { estimateForm, member } from './people.ts';
import { startPricingUnderTest } from './pricing-under-test.ts';

const pricing = forAllTests(() => startPricingUnderTest('2026-11-20T18:00:00.000Z'));

async function estimate(currency = 'GBP') {
  return (await pricing.post('/offers/price-estimate', estimateForm(), { currency })).body;
}

async function matching(): Promise<unknown> {
  return (await estimate()).matching_users;
}

describe('importing members', () => {
  it('stores each line at once, and a second import replaces them', async () => {
    const counted = (imported: number) => ({ status: 200, body: { imported, counted: true } });
    const members = Array.from({ length: 1_200 }, (_, index) => member(index + 1));
    expect(await pricing.importMembers(members)).toEqual(counted(1_200));
    expect(await matching()).toBe(1_200);
    const changed = [member(1, { banned: true }), member(2, { active: false })];
    expect(await pricing.importMembers(changed)).toEqual(counted(2));
    expect(await matching()).toBe(1_198);
    await pricing.importMembers([member(1), member(2)]);
    expect(await matching()).toBe(1_200);
  });

  it('stops at the first line that is no member and says which and how many were stored', async () => {
    const wrong = member(5_003, { latitude: 91 });
    const reply = await pricing.importMembers([member(5_001), member(5_002), wrong, member(5_004)]);
    const message = 'line 3 has a missing or invalid latitude; imported before it: 2';
    expect(reply).toEqual({ status: 400, body: { message, imported: 2, line: 3 } });
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

describe('the rates', () => {
  beforeEach(() => pricing.setRatesFaults({}));
  const refresh = (json: object = {}) => pricing.admin('/admin/rates/refresh', JSON.stringify(json));
  const standing = async () => {
    const reply = await fetch(`${pricing.adminUrl}/admin/rates`, { headers: pricing.adminHeaders });
    return ratesReply.parse(await reply.json());
  };

  it('are refreshed: the date of the fixing, its currencies, its age, and what a pound costs', async () => {
    const currencies = expect.arrayContaining(['GBP', 'JPY', 'USD']);
    expect(await pricing.admin('/admin/rates/refresh')).toEqual({
      status: 200,
      body: { date: '2026-11-20', currencies },
    });
    const perGbp = expect.arrayContaining([
      { currency: 'GBP', rate: '1' },
      { currency: 'USD', rate: '1.32631' },
    ]);
    const facts = { date: '2026-11-20', missingFixings: 0, outOfDate: false, refused: null };
    expect(await standing()).toEqual({ ...facts, perGbp });
  });

  it('stay the last good ones while the feed is down, and the reply says that', async () => {
    await pricing.setRatesFaults({ down: true });
    const message = 'Rates not refreshed: the feed answered 503';
    expect(await refresh()).toEqual({ status: 502, body: { message } });
    expect(await estimate('USD')).toMatchObject({ exchange_rate_date: '2026-11-20' });
  });

  it('stay the last good ones when a currency jumps, which is shown until somebody accepts that very fixing', async () => {
    await pricing.setRatesFaults({ factors: { USD: 1.3 } });
    const message = expect.stringMatching(/^Rates not refreshed: USD moved by more than 20 %.*2026-11-20$/);
    expect(await refresh()).toEqual({ status: 409, body: { message } });
    const currencies = [{ currency: 'USD', lastPerEuro: '1.1582', perEuro: '1.50566' }];
    expect((await standing()).refused).toMatchObject({
      reason: 'jump',
      jump: { date: '2026-11-20', currencies },
    });
    expect(await estimate('USD')).toMatchObject({ exchange_rate_per_gbp: 1.32631 });
    expect((await refresh({ acceptJump: '2026-11-19' })).status).toBe(409);
    expect((await refresh({ acceptJump: 'yes' })).status).toBe(400);
    expect((await refresh({ acceptJump: '2026-11-20', reason: 'true' })).status).toBe(200);
    // 1.1582 x 1.3 = 1.50566, / 0.87325 = 1.72420269...
    expect(await estimate('USD')).toMatchObject({ exchange_rate_per_gbp: 1.724203 });
    expect((await standing()).refused).toBeNull();
  });
});

describe('every admin route', () => {
  it('is on the admin port alone', async () => {
    expect(await adminRoutesAtPublicPort(pricing, '/admin/rates', '/admin/parked')).toEqual([]);
  });

  it.each(['/admin/members/import', '/admin/rates/refresh', '/admin/parked/replay'])(
    '%s needs the credential',
    async (path) => {
      expect((await fetch(pricing.adminUrl + path, { method: 'POST' })).status).toBe(401);
    },
  );
});
