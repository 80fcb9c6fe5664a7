/** Organisations without approval count made-up members only. */
import { beforeAll, expect, it } from '@jest/globals';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { catalogue, estimateForm, london, member, priceRequest } from './people.ts';
import { startPricingUnderTest } from './pricing-under-test.ts';

const waiting = { organisationApproved: false };
/** Targets that vary every field, and a place where no made-up member lives. */
const targets = [
  { place: london },
  { place: london, gender: ['Female'] },
  { place: london, interests: [1] },
  { place: london, gender: ['Male', 'Non-binary'], interests: [2, 3] },
  { place: { latitude: 48.8566, longitude: 2.3522 } },
  { place: { latitude: -45, longitude: -120 } },
] as const;
type Target = (typeof targets)[number] & { gender?: readonly string[]; interests?: readonly number[] };

const pricing = forAllTests(() => startPricingUnderTest('2026-11-20T18:00:00.000Z'));
beforeAll(async () => {
  await pricing.publisher.publish([catalogue(1)]);
  await eventually(async () => {
    if ((await estimates(targets[2], waiting)).status !== 200) throw new Error('no catalogue yet');
  });
});

const estimates = ({ place, gender = [], interests = [] }: Target, caller: object) => {
  const form = estimateForm({ location: [place.latitude, place.longitude], gender, interests });
  return pricing.post('/offers/price-estimate', form, caller);
};
const creation = ({ place, ...target }: Target, caller: object) =>
  pricing.post('/internal/price', priceRequest({ ...place, ...target }), caller);
const countsOf = async (caller: object) => {
  const told = await Promise.all(targets.map((target) => estimates(target, caller)));
  return told.map(({ body }) => Number(body.matching_users));
};

it('estimates and creations of an organisation without approval do not change when real members do, and agree', async () => {
  const before = await countsOf(waiting);
  expect(before.slice(0, 5).every((count) => count > 0)).toBe(true);
  expect(before[5]).toBe(0);
  const everywhere = targets.flatMap(({ place }, at) =>
    [1, 2, 3].map((n) => member(at * 10 + n, { ...place, gender: 'Female', interests: [n] })),
  );
  await pricing.importMembers(everywhere);
  await eventually(async () => expect((await countsOf({}))[5]).toBe(3));
  expect(await countsOf(waiting)).toEqual(before);
  for (const [at, target] of targets.entries())
    expect((await creation(target, waiting)).body.matchingUsers).toBe(before[at]);
});

it('once approved, TEST and LIVE count the same real members at the same price', async () => {
  for (const target of targets) {
    for (const ask of [estimates, creation]) {
      const test = await ask(target, { mode: 'TEST' });
      expect(test.status).toBe(200);
      expect(await ask(target, { mode: 'LIVE' })).toEqual(test);
    }
  }
  expect((await countsOf({}))[5]).toBe(3);
});
