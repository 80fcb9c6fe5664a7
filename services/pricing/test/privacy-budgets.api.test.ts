/** PRIVACY_BUDGET_PER_DAY: one privacy budget over estimates, creations and replicas. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { testContextSecret } from '@offer-ads/testing/caller';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { estimateForm, london, member, priceRequest } from './people.ts';
import { type Replica, startPricingUnderTest } from './pricing-under-test.ts';

const pricing = forAllTests(() =>
  startPricingUnderTest('2026-11-20T18:00:00.000Z', { PRIVACY_BUDGET_PER_DAY: 6 }),
);
let other: Replica;

beforeAll(async () => {
  await pricing.importMembers(Array.from({ length: 230 }, (_, n) => member(n + 1)));
  other = await pricing.startReplica();
});
afterAll(async () => {
  await other[Symbol.asyncDispose]();
});

const caller = { organisationId: 7, personId: 7, mailbox: 'seven', network: 'seven' };

/** Elsewhere nobody lives, and the wrong way round it is no place, so that nobody is counted there. */
const longitudeOf = (latitude: number) => (latitude === london.latitude ? london.longitude : 120);

async function estimate(replica: Pick<Replica, 'post'>, latitude: number, by = caller): Promise<number> {
  const form = estimateForm({ location: [latitude, longitudeOf(latitude)] });
  return (await replica.post('/offers/price-estimate', form, by)).body.matching_users as number;
}

async function creation(replica: Pick<Replica, 'post'>, latitude: number): Promise<number> {
  const request = priceRequest({ latitude, longitude: longitudeOf(latitude) });
  return (await replica.post('/internal/price', request, caller)).body.matchingUsers as number;
}

/** Returns when the replica has shared twice, so that it knows all spending of before. */
async function hasShared({ adminUrl }: Pick<Replica, 'adminUrl'>): Promise<void> {
  const runs = async () => {
    const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
    return Number(/loop_runs_total\{[^}]*share-privacy-budgets[^}]*done[^}]*\} (\d+)/.exec(metrics)?.[1]);
  };
  const before = await runs();
  await eventually(async () => expect(await runs()).toBeGreaterThanOrEqual(before + 2));
}

it('is spent by estimates and by prices of creations, on whichever replica; both get the same coarse count when it is used up', async () => {
  expect(await estimate(pricing, london.latitude)).toBe(230);
  expect(await creation(pricing, london.latitude)).toBe(230);
  // Nobody lives there, so these four estimates are revealing.
  for (const latitude of [10, 11]) expect(await estimate(pricing, latitude)).toBe(0);
  for (const latitude of [12, 13]) expect(await creation(pricing, latitude)).toBe(0);
  expect(await creation(pricing, london.latitude)).toBe(230);
  // The other replica learns of these four, so that two are left.
  await hasShared(pricing);
  for (const latitude of [14, 15]) expect(await estimate(other, latitude)).toBe(0);
  await hasShared(other);
  expect(await estimate(other, london.latitude)).toBe(230);
  await estimate(other, 16);
  const shown = await estimate(other, london.latitude);
  expect(shown).toBeLessThan(230);
  expect(shown % 100).toBe(0);
  expect(await creation(other, london.latitude)).toBe(shown);
  const metrics = await (await fetch(`${other.adminUrl}/metrics`)).text();
  expect(metrics).toMatch(/privacy_budgets_used_up_total\{[^}]*of="organisation"[^}]*\} 1/);
});

it('stays used up on a replica that starts later', async () => {
  await using restarted = await pricing.startReplica();
  await estimate(restarted, 17);
  await hasShared(restarted);
  await estimate(restarted, 18);
  const shown = await estimate(restarted, london.latitude);
  expect(shown).toBeLessThan(230);
  expect(shown % 100).toBe(0);
});

it('allows a thirtieth of the budget of 30 days while the store with the days before is away', async () => {
  await using replica = await pricing.startReplica({ PRIVACY_BUDGET_PER_30_DAYS: 60 });
  const newcomer = { organisationId: 8, personId: 8, mailbox: 'eight', network: 'eight' };
  const ask = (latitude: number) => estimate(replica, latitude, newcomer);
  pricing.mongo.takeDown();
  expect(await ask(20)).toBe(0);
  expect(await ask(london.latitude)).toBe(230);
  expect(await ask(21)).toBe(0);
  expect([100, 200]).toContain(await ask(london.latitude));
  pricing.mongo.bringBack();
  await eventually(async () => expect(await ask(london.latitude)).toBe(230));
});

it('has the same steps on replicas that are at different steps of a rotation of secrets', async () => {
  await using before = await pricing.startReplica({ AUDIENCE_MIN_COHORT: 10 });
  const PRICING_CONTEXT_SECRET = `a-new-secret-for-the-callers-of-pricing,${testContextSecret}`;
  await using after = await pricing.startReplica({ AUDIENCE_MIN_COHORT: 10, PRICING_CONTEXT_SECRET });
  const counts = async (replica: Replica) => {
    const shown: unknown[] = [];
    for (let radius = 10; radius <= 20; radius += 1) {
      // Each question has its own caller, so that no answer is compared with an earlier one.
      const own = { organisationId: 100 + radius, mailbox: `${radius}`, network: `${radius}` };
      shown.push((await replica.post('/offers/price-estimate', estimateForm({ radius }), own)).body);
    }
    return shown;
  };
  expect(await counts(after)).toEqual(await counts(before));
});
