import { describe, expect, it } from '@jest/globals';
import { type LiveOffer, type LiveOffers, liveOffers } from './live-offers.ts';

const start = new Date('2026-06-01T12:00:00Z');
const after = (ms: number) => new Date(start.getTime() + ms);
const member = { latitude: 51.5, longitude: -0.12, gender: 'Female', interests: [1] } as const;
const offer: LiveOffer = {
  offerId: 1,
  mode: 'LIVE',
  categoryId: 1,
  categoryName: 'Food',
  target: { latitude: 51.5, longitude: -0.1, radiusMiles: 5, gender: [], interests: [] },
  startAtMs: start.getTime(),
  expiryAtMs: after(1_000).getTime(),
  image: 'a.png',
  card: '{}',
};
const idsOf = (offers: LiveOffers, now = start, mode: 'TEST' | 'LIVE' = 'LIVE') =>
  offers.matching(mode, member, now).map(({ offerId }) => offerId);

describe('offers in memory', () => {
  it('begin and end at the instant', () => {
    const offers = liveOffers();
    offers.put(offer);
    expect([-1, 0, 999, 1_000].map((ms) => idsOf(offers, after(ms)))).toEqual([[], [1], [1], []]);
  });

  it('of the other mode are not shown', () => {
    const offers = liveOffers();
    offers.put({ ...offer, mode: 'TEST' });
    expect([idsOf(offers), idsOf(offers, start, 'TEST')]).toEqual([[], [1]]);
  });

  it('are replaced and removed, also when they cross the date line', () => {
    const offers = liveOffers();
    const east = { ...member, longitude: 179.99, latitude: 0 };
    const target = { ...offer.target, latitude: 0, longitude: -179.99 };
    offers.put({ ...offer, target });
    expect(offers.matching('LIVE', east, start)).toHaveLength(1);
    offers.put(offer);
    expect([offers.matching('LIVE', east, start).length, idsOf(offers), offers.size()]).toEqual([0, [1], 1]);
    offers.remove(1);
    offers.remove(1);
    expect([idsOf(offers), offers.size()]).toEqual([[], 0]);
  });

  it('take no memory when they have ended', () => {
    const offers = liveOffers();
    offers.put(offer);
    offers.put({ ...offer, offerId: 2, expiryAtMs: after(1_001).getTime() });
    offers.removeEnded(after(1_000));
    expect([offers.size(), idsOf(offers, after(1_000))]).toEqual([1, [2]]);
  });

  it('are bounded: one more is refused, and one that is there can be replaced', () => {
    const offers = liveOffers(1);
    expect([offers.put(offer), offers.put({ ...offer, offerId: 2 }), offers.put(offer)]).toEqual([
      true,
      false,
      true,
    ]);
    expect(idsOf(offers)).toEqual([1]);
  });
});
