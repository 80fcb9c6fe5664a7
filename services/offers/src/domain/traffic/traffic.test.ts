/** traffic-intake.int.test.ts compares the sums of any events, in any order, with a model. */
import { describe, expect, it } from '@jest/globals';
import {
  type Counts,
  MAX_OFFERS_OF_A_PERSON,
  noteSightings,
  type RollUp,
  type Sighting,
  sumRollUps,
  type ViewerHour,
} from './traffic.ts';

const hour = new Date('2026-06-01T12:00:00Z');

function seen(kind: 'view' | 'click', offerId: number): Sighting {
  return { offerId, hour, kind, viewer: 'v', automated: false };
}

const nothing: Counts = {
  views: 0,
  clicks: 0,
  viewsRepeated: 0,
  clicksRepeated: 0,
  viewsAutomated: 0,
  clicksAutomated: 0,
};

/** The counts after one viewer's batches, by offer. */
function sumOf(...batches: (readonly Sighting[])[]): Record<number, Counts> {
  let known: ViewerHour = new Map();
  const rollUps: RollUp[] = [];
  for (const batch of batches) {
    const noted = noteSightings(known, batch);
    known = noted.after;
    rollUps.push(...noted.rollUps);
  }
  return Object.fromEntries(sumRollUps(rollUps).map(({ offerId, counts }) => [offerId, counts]));
}

const offers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('a viewer', () => {
  it('counts once per offer for views and once for clicks; the rest are repeats', () => {
    const counted = sumOf(
      [seen('view', 1), seen('view', 1)],
      [seen('click', 1), seen('view', 2)],
      [seen('view', 1)],
    );
    expect(counted).toEqual({
      1: { ...nothing, views: 1, clicks: 1, viewsRepeated: 2 },
      2: { ...nothing, views: 1 },
    });
  });

  it('of a hundred different offers is a person', () => {
    const counted = sumOf(offers(MAX_OFFERS_OF_A_PERSON).map((id) => seen('view', id)));
    expect(Object.values(counted)).toEqual(Array.from({ length: 100 }, () => ({ ...nothing, views: 1 })));
  });

  it('of one more offer is a bot: nothing of that hour counts, neither earlier nor later views', () => {
    const before = [...offers(100).map((id) => seen('view', id)), seen('view', 1), seen('click', 2)];
    const counted = sumOf(before, [seen('click', 101)], [seen('view', 1), seen('view', 500)]);
    expect(counted[1]).toEqual({ ...nothing, viewsAutomated: 3 });
    expect(counted[2]).toEqual({ ...nothing, viewsAutomated: 1, clicksAutomated: 1 });
    expect(counted[100]).toEqual({ ...nothing, viewsAutomated: 1 });
    expect(counted[101]).toEqual({ ...nothing, clicksAutomated: 1 });
    expect(counted[500]).toEqual({ ...nothing, viewsAutomated: 1 });
  });
});

describe('sums', () => {
  it('are one per offer and hour; those without a change are left out', () => {
    const later = new Date('2026-06-01T13:00:00Z');
    const add = (offerId: number, at: Date, views: number): RollUp => ({
      offerId,
      hour: at,
      counts: { ...nothing, views },
    });
    expect(
      sumRollUps([add(1, hour, 1), add(2, hour, 1), add(1, later, 1), add(1, hour, 1), add(2, hour, -1)]),
    ).toEqual([add(1, hour, 2), add(1, later, 1)]);
  });
});
