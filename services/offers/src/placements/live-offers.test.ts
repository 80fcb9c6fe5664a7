import { describe, expect, it } from '@jest/globals';
import { isTargeted, type Target } from '@offer-ads/contracts/audience/target';
import { memberGenders } from '@offer-ads/contracts/values/member-gender';
import { chance } from '@offer-ads/testing/random';
import { type LiveOffer, type LiveOffers, liveOffers, type Room } from './live-offers.ts';

const start = new Date('2026-06-01T12:00:00Z');
const after = (ms: number) => new Date(start.getTime() + ms);
const member = { latitude: 51.5, longitude: -0.12, gender: 'Female', interests: [1] } as const;
const offer: LiveOffer = {
  offerId: 1,
  mode: 'LIVE',
  categoryId: 1,
  target: { latitude: 51.5, longitude: -0.1, radiusMiles: 5, gender: [], interests: [] },
  startAtMs: start.getTime(),
  expiryAtMs: after(1_000).getTime(),
  image: 'a.png',
  url: 'https://cafe.example',
  card: '{}',
  lack: 0,
};
const ample: Room = { LIVE: 1_000, TEST: 1_000 };
const byNumber = (a: number, b: number) => a - b;
const idsOf = (offers: LiveOffers, now = start, mode: 'TEST' | 'LIVE' = 'LIVE') =>
  offers.matching(mode, member, now).map(({ offerId }) => offerId);

describe('offers in memory', () => {
  it('keep what they lack to their share when they are replaced, and lose it when they are removed', () => {
    const offers = liveOffers(ample);
    const lackOf = () => offers.matching('LIVE', member, start).map(({ lack }) => lack);
    offers.put({ ...offer, lack: 2 });
    offers.put({ ...offer, categoryId: 2 });
    expect(lackOf()).toEqual([2]);
    offers.remove(1);
    offers.put({ ...offer });
    expect(lackOf()).toEqual([0]);
  });

  it('that are not there any more are removed together', () => {
    const offers = liveOffers(ample);
    offers.put(offer);
    offers.put({ ...offer, offerId: 2, expiryAtMs: after(1_001).getTime() });
    offers.removeAll(({ expiryAtMs }) => expiryAtMs <= after(1_000).getTime());
    expect([offers.held('LIVE'), idsOf(offers, after(1_000))]).toEqual([1, [2]]);
  });

  it('are bounded: one more is refused, and one that is there can be replaced', () => {
    const offers = liveOffers({ LIVE: 1, TEST: 1 });
    expect([offers.put(offer), offers.put({ ...offer, offerId: 2 }), offers.put(offer)]).toEqual([
      true,
      false,
      true,
    ]);
    expect(idsOf(offers)).toEqual([1]);
  });

  it('of one mode take no room of the other', () => {
    const offers = liveOffers({ LIVE: 1, TEST: 1 });
    const put = (offerId: number, mode: 'TEST' | 'LIVE') => offers.put({ ...offer, offerId, mode });
    expect([put(1, 'TEST'), put(2, 'LIVE'), put(3, 'TEST')]).toEqual([true, true, false]);
  });

  it('match as the rule of targets says, one by one, while thousands are put, replaced and removed', () => {
    const random = chance(20_261_124);
    const offers = liveOffers(ample);
    const expected = new Map<number, LiveOffer>();
    const degrees = (limit: number) => random.below(2 * limit * 100 + 1) / 100 - limit;
    const interestsOf = (most: number) =>
      Array.from({ length: random.below(most) }, () => 1 + random.below(80));
    for (let step = 1; step <= 9_000; step += 1) {
      const offerId = 1 + random.below(3_500);
      const target: Target = {
        latitude: degrees(90),
        longitude: degrees(180),
        radiusMiles: 5 + random.below(26),
        gender: random.below(2) === 0 ? [] : [random.oneOf(memberGenders), random.oneOf(memberGenders)],
        interests: interestsOf(40),
      };
      const mode = offerId % 10 === 0 ? 'TEST' : 'LIVE';
      // Some begin now or in a moment, some end now.
      const [startAtMs, expiryAtMs] = [random.below(3) - 1, random.below(10)].map(
        (ms) => start.getTime() + ms,
      );
      const changed = {
        ...offer,
        offerId,
        mode,
        target,
        startAtMs: startAtMs!,
        expiryAtMs: expiryAtMs!,
      } as const;
      if (random.below(4) === 0) offers.remove(offerId);
      else offers.put(changed);
      if (offers.get(offerId) === undefined) expected.delete(offerId);
      else expected.set(offerId, changed);
      if (step % 90 !== 0) continue;
      const here = { ...member, latitude: degrees(90), longitude: degrees(180), interests: interestsOf(5) };
      const shown = [...expected.values()].filter(
        ({ mode, startAtMs, expiryAtMs, target }) =>
          mode === 'LIVE' &&
          startAtMs <= start.getTime() &&
          expiryAtMs > start.getTime() &&
          isTargeted(target, here),
      );
      expect(
        offers
          .matching('LIVE', here, start)
          .map(({ offerId: id }) => id)
          .toSorted(byNumber),
      ).toEqual(shown.map(({ offerId: id }) => id).toSorted(byNumber));
    }
    expect(offers.held('LIVE') + offers.held('TEST')).toBe(expected.size);
  });
});
