/** Several replicas on one database count the same, whichever of them receives a change or an import. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { runs } from '@offer-ads/testing/profile';
import { chance } from '@offer-ads/testing/random';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { changed, removed } from './member-events.ts';
import { member, priceRequest } from './people.ts';
import { type PricingUnderTest, type Replica, startPricingUnderTest } from './pricing-under-test.ts';

let pricing: PricingUnderTest;
let other: Replica;

beforeAll(async () => {
  pricing = await startPricingUnderTest('2026-11-20T18:00:00.000Z');
  other = await pricing.startReplica();
});
afterAll(async () => {
  await other[Symbol.asyncDispose]();
  await pricing[Symbol.asyncDispose]();
});

async function counted(replica: Pick<Replica, 'post'>, changes: object = {}): Promise<unknown> {
  return (await replica.post('/internal/price', priceRequest(changes))).body.matchingUsers;
}

/** What the events say about a member: the newest version decides. */
type Known = { readonly version: number; readonly gender?: string; readonly interests?: readonly number[] };

it('count the same as the sum of all events, after many changes in any order', async () => {
  const { below, oneOf } = chance(5);
  const known = new Map<number, Known>();
  const applyIfNewer = (memberId: number, facts: Known) => {
    if ((known.get(memberId)?.version ?? -1) < facts.version) known.set(memberId, facts);
  };
  for (let batch = 0; batch < runs(6, 60); batch += 1) {
    const events = Array.from({ length: 250 }, () => {
      const memberId = 1 + below(400);
      const version = below(1_000_000);
      if (below(5) === 0) {
        applyIfNewer(memberId, { version });
        return removed(memberId, version);
      }
      const facts = {
        gender: oneOf(['Male', 'Female'] as const),
        interests: [1 + below(3)],
        banned: below(6) === 0,
      };
      applyIfNewer(memberId, facts.banned ? { version } : { version, ...facts });
      return changed({ memberId, ...facts }, version);
    });
    await pricing.publisher.publish(events);
  }
  const expected = (matches: (facts: Known) => boolean) => [...known.values()].filter(matches).length;
  for (const replica of [pricing, other]) {
    await eventually(async () =>
      expect(await counted(replica)).toBe(expected(({ gender }) => gender !== undefined)),
    );
    for (const interest of [1, 2, 3])
      for (const gender of ['Male', 'Female'])
        await eventually(async () =>
          expect(await counted(replica, { gender: [gender], interests: [interest] })).toBe(
            expected((facts) => facts.gender === gender && facts.interests?.includes(interest) === true),
          ),
        );
  }
});

it('count an import of one of them: that one at once, the others soon, also after a restart', async () => {
  const there = { latitude: 40.7128, longitude: -74.006 };
  const two = [member(9_001, there), member(9_002, there)];
  expect(await pricing.importMembers(two)).toMatchObject({ body: { imported: 2, counted: true } });
  expect(await counted(pricing, there)).toBe(2);
  await eventually(async () => expect(await counted(other, there)).toBe(2));
  await other[Symbol.asyncDispose]();
  const banned = member(9_002, { ...there, banned: true });
  await pricing.importMembers([banned, member(9_003, there), member(9_004, there)]);
  other = await pricing.startReplica();
  expect(await counted(other, there)).toBe(3);
  expect(await counted(other)).toBe(await counted(pricing));
});
