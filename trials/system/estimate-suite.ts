/** POST /offers/price-estimate through the gateway. Each row of the table of codes is a test of pricing. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { estimateReply } from '@offer-ads/contracts/public/api';
import {
  type Advertiser,
  advertiser,
  demoOrganisation,
  hourMs,
  inFuture,
  london,
  midAtlantic,
  newOrganisation,
} from '../harness/advertiser.ts';
import type { TestSystem } from '../harness/test-system.ts';

export function describeEstimates(system: () => TestSystem): void {
  describe('POST /offers/price-estimate', () => {
    let caller: Advertiser;
    beforeAll(async () => {
      caller = advertiser(system(), (await newOrganisation(system(), { balance: '0' })).key);
    });

    const request = (changes: object = {}) => ({
      start_datetime: inFuture(0),
      end_datetime: inFuture(2 * hourMs),
      location: london,
      radius: 10,
      ...changes,
    });
    const estimate = (changes: object = {}) =>
      caller.json('POST', '/offers/price-estimate', request(changes));

    it('S1: figures that a caller can recompute', async () => {
      const { status, body } = await estimate();
      const figures = estimateReply.parse(body);
      expect(status).toBe(200);
      expect(figures.matching_users).toBeGreaterThan(0);
      expect(figures.ad_units).toBe(figures.price_estimate);
      expect(figures.ad_units).toBeCloseTo(2 * figures.matching_users, 1);
      expect(figures).toMatchObject({
        ad_unit_price: 0.001,
        currency: 'GBP',
        exchange_rate_per_gbp: 1,
        exchange_rate_date: null,
      });
      expect(figures.estimated_cost).toBeCloseTo(figures.ad_units * 0.001, 2);
    });

    it('S1: narrower targeting reaches fewer users', async () => {
      const all = await estimate({ gender: ['All'] });
      const some = await estimate({ gender: ['Female'], interests: [1, 2] });
      expect(some.body.matching_users).toBeGreaterThan(0);
      expect(some.body.matching_users).toBeLessThan(all.body.matching_users);
    });

    it('S1 with nobody in reach is 0 users, not a refusal', async () => {
      const { status, body } = await estimate({ location: midAtlantic });
      expect({ status, users: body.matching_users, cost: body.estimated_cost }).toEqual({
        status: 200,
        users: 0,
        cost: 0,
      });
    });

    it('S1 in a currency that cannot be billed has Ad Units and null money', async () => {
      const { key } = demoOrganisation(system(), 'JPY');
      const { body } = await advertiser(system(), key).json('POST', '/offers/price-estimate', request());
      expect(body).toMatchObject({
        return_code: 'S1',
        currency: 'JPY',
        ad_unit_price: null,
        estimated_cost: null,
        exchange_rate_per_gbp: null,
        exchange_rate_date: null,
      });
      expect(body.ad_units).toBeGreaterThan(0);
    });

    it("S1 in euros uses the day's rate and gives its date", async () => {
      const { key } = demoOrganisation(system(), 'EUR');
      const { body } = await advertiser(system(), key).json('POST', '/offers/price-estimate', request());
      expect(body.exchange_rate_date).toMatch(/^\d{4}-\d\d-\d\d$/);
      expect(body.ad_unit_price).toBeCloseTo(0.001 * body.exchange_rate_per_gbp, 6);
      expect(body.estimated_cost).toBeCloseTo(body.ad_units * 0.001 * body.exchange_rate_per_gbp, 1);
    });

    it('E1 400 names the field', async () => {
      const { status, body } = await estimate({ interests: [987_654] });
      expect(body).toMatchObject({ return_code: 'E1', status: 'Error', code: 400 });
      expect(body.message).toContain('interests');
      expect(status).toBe(400);
    });
  });
}
