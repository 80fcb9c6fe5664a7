/** A member is shown an offer exactly when the price counted that member (decision 201, counted is shown). */
import { expect, it } from '@jest/globals';
import { coarsePosition } from '@offer-ads/contracts/audience/coarse-position';
import { runs } from '@offer-ads/testing/profile';
import { type LiveOffers, liveOffers } from '../../services/offers/src/placements/live-offers.ts';
import { startGridBuild } from '../../services/pricing/src/audience/build-grid.ts';
import { openLiveGrid } from '../../services/pricing/src/audience/live-grid.ts';
import {
  createWorld,
  randomMember,
  randomPlace,
  randomTarget,
} from '../../services/pricing/test/audience/random-world.ts';

/** On both sides of the date line, ten miles from each other at most. */
const atDateLine = [-179.98, -179.93, 179.98, 179.93].map((longitude) => ({ latitude: 10, longitude }));
const now = new Date('2026-06-01T12:00:00Z');
const hour = 3_600_000;

/** Offers with these targets that run now. */
function showing(targets: ReturnType<typeof randomTarget>[]): LiveOffers {
  const offers = liveOffers({ LIVE: 1_000, TEST: 1_000 });
  for (const [at, target] of targets.entries())
    offers.put({
      offerId: at + 1,
      mode: 'LIVE',
      categoryId: 1,
      target,
      startAtMs: now.getTime(),
      expiryAtMs: now.getTime() + hour,
      image: '',
      url: '',
      card: '{}',
      lack: 0,
    });
  return offers;
}

it('counted is shown and shown is counted: in crowds and oceans, on edges, at poles and the date line', () => {
  const world = createWorld(20_261_125, 20);
  const places = Array.from({ length: 46 }, () => randomPlace(world));
  const edges = [...places, ...atDateLine].map((place) => coarsePosition(place));
  const targets = Array.from({ length: 2_000 }, (_, at) => randomTarget(world, edges[at % edges.length]))
    // Larger circles take long, and cannot be bought.
    .filter(({ radiusMiles }) => radiusMiles <= 100)
    .slice(0, 996);
  for (const place of atDateLine) targets.push({ ...place, radiusMiles: 10, gender: [], interests: [] });
  const offers = showing(targets);
  let shown = 0;
  for (let memberId = 1; memberId <= runs(100, 1_000); memberId += 1) {
    const there = randomMember(world, memberId);
    // Half of the members live where a radius ends.
    const place = memberId % 2 === 0 ? there : (edges[memberId % edges.length] ?? there);
    const member = { ...there, ...coarsePosition(place) };
    const build = startGridBuild();
    build.add(member);
    const grid = openLiveGrid(build.finish());
    const ids = new Set(offers.matching('LIVE', member, now).map(({ offerId }) => offerId));
    shown += ids.size;
    const differing = targets.filter((target, at) => (grid.count(target) === 1) !== ids.has(at + 1));
    expect(differing).toEqual([]);
  }
  expect(shown).toBeGreaterThan(2_000);
});
