import { describe, expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import { belowCap, choose, fairShare, lackPerHour } from './choice.ts';

const offersOf = (count: number) => Array.from({ length: count }, (_, at) => ({ offerId: at + 1 }));
const everything = { wanted: 3, shownToday: () => 0, lackPerHour: () => 0, seed: 1 };
const idsOf = (offers: readonly { readonly offerId: number }[]) => offers.map(({ offerId }) => offerId);

/** Chooses again and again for one viewer, who is shown what was chosen. */
function showAgainAndAgain(o: { offers: number; wanted: number; cap: number; times: number; seed: number }) {
  const shown = new Map<number, number>();
  const rounds: number[][] = [];
  for (let round = 0; round < o.times; round += 1) {
    const viewer = { ...everything, ...o, shownToday: (id: number) => shown.get(id) ?? 0 };
    const chosen = idsOf(choose(belowCap(offersOf(o.offers), viewer), viewer));
    rounds.push(chosen);
    for (const id of chosen) shown.set(id, (shown.get(id) ?? 0) + 1);
  }
  return { shown, rounds };
}

describe('the choice for one viewer', () => {
  it('shows each offer once before one comes twice, and none more often than the cap', () => {
    const sizes = { offers: fc.integer({ min: 1, max: 30 }), wanted: fc.integer({ min: 1, max: 20 }) };
    const runs = { cap: fc.integer({ min: 1, max: 5 }), times: fc.integer({ min: 1, max: 40 }) };
    fc.assert(
      fc.property(fc.record({ ...sizes, ...runs, seed: fc.integer() }), (o) => {
        const { shown, rounds } = showAgainAndAgain(o);
        for (const round of rounds) expect(new Set(round).size).toBe(round.length);
        const times = offersOf(o.offers).map(({ offerId }) => shown.get(offerId) ?? 0);
        expect(Math.max(...times) - Math.min(...times)).toBeLessThanOrEqual(1);
        const asked = o.times * Math.min(o.wanted, o.offers);
        expect(times.reduce((sum, each) => sum + each, 0)).toBe(Math.min(asked, o.offers * o.cap));
      }),
    );
  });

  it('has the same order on the same day, and another order on another day or for another viewer', () => {
    const orderOf = (seed: number) => idsOf(choose(offersOf(20), { ...everything, wanted: 20, seed }));
    expect(orderOf(7)).toEqual(orderOf(7));
    expect(orderOf(8)).not.toEqual(orderOf(7));
    expect(orderOf(7).toSorted((a, b) => a - b)).toEqual(idsOf(offersOf(20)));
  });
});

describe('the choice over many viewers', () => {
  /** How often each of ten offers comes first or second for thirty thousand viewers. */
  function showings(lackOf: (offerId: number) => number): number[] {
    const shown = new Map<number, number>();
    const lackPerHour = ({ offerId }: { readonly offerId: number }) => lackOf(offerId);
    for (let seed = 0; seed < 30_000; seed += 1)
      for (const { offerId } of choose(offersOf(10), { ...everything, wanted: 2, lackPerHour, seed }))
        shown.set(offerId, (shown.get(offerId) ?? 0) + 1);
    return offersOf(10).map(({ offerId }) => shown.get(offerId) ?? 0);
  }

  it('gives each offer its share, within three per cent', () => {
    const share = 30_000 * fairShare(10, 2);
    for (const shown of showings(() => 0)) expect(Math.abs(shown / share - 1)).toBeLessThan(0.03);
  });

  it('shows an offer more often the more it lacks, and still shows the others', () => {
    const [most = 0, more = 0, ...others] = showings((offerId) => ({ 1: 9, 2: 2 })[offerId] ?? 0);
    expect(most).toBeGreaterThan(1.5 * more);
    expect(more).toBeGreaterThan(1.5 * Math.max(...others));
    expect(Math.min(...others)).toBeGreaterThan(1_000);
  });
});

it('an offer lacks more for each hour the fewer it has left, but no more in its last hour', () => {
  const now = new Date('2026-06-01T12:00:00Z');
  const perHour = (lack: number, hours: number) =>
    lackPerHour({ lack, expiryAtMs: now.getTime() + hours * 3_600_000 }, now);
  expect([perHour(6, 3), perHour(6, 1), perHour(6, 0.1), perHour(0, 3), perHour(-6, 3)]).toEqual([
    2, 6, 6, 0, 0,
  ]);
});
