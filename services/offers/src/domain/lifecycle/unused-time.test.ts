import { describe, expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import { at, HOUR, paidOffer } from '../../../test/lifecycle/lifecycle-fixture.ts';
import type { Lifecycle } from '../offer.ts';
import { unusedTime } from './unused-time.ts';

/** The usual offer: created at hour 0, runs from hour 1 to hour 11. */
const usedFully = { unusedMs: 0, scheduledMs: 10 * HOUR };

function unusedHours(offer: Lifecycle, now: Date): number {
  return unusedTime(offer, now).unusedMs / HOUR;
}

describe('unused time', () => {
  it('is nothing for an offer that ran all the time', () => {
    expect(unusedTime(paidOffer(), at(11))).toEqual(usedFully);
  });

  it('is nothing for an offer that was never paid', () => {
    expect(unusedTime({ ...paidOffer(), paidAt: null, paymentAppliedAt: null }, at(20))).toEqual(usedFully);
  });

  it('is the whole period when the offer is deleted before it starts', () => {
    expect(unusedHours({ ...paidOffer(), deletedAt: at(0.5) }, at(0.5))).toBe(10);
  });

  it('is the rest of the period when the offer is deleted while it runs', () => {
    expect(unusedHours({ ...paidOffer(), deletedAt: at(4) }, at(4))).toBe(7);
  });

  it('counts of a pause only what lies between start and expiry', () => {
    expect(unusedHours({ ...paidOffer(), pausedSince: at(0) }, at(3))).toBe(2);
    expect(unusedHours({ ...paidOffer(), pausedSince: at(9) }, at(30))).toBe(2);
  });

  it('counts overlapping causes once', () => {
    const offer = {
      ...paidOffer(),
      stops: [{ from: at(2), to: at(4) }],
      pausedSince: at(5),
      disabledSince: at(6),
      deletedAt: at(7),
    };
    expect(unusedHours(offer, at(8))).toBe(2 + 6);
  });

  it('counts the wait for a late payment, but never time before the creation', () => {
    const startedBeforeCreation = {
      ...paidOffer(),
      createdAt: at(1.01),
      paidAt: at(2),
      paymentAppliedAt: at(3),
    };
    expect(unusedTime(startedBeforeCreation, at(3)).unusedMs).toBe(1.99 * HOUR);
  });

  it('is never time before the creation, though the offer is deleted in the millisecond of its payment', () => {
    const offer = { ...paidOffer(), createdAt: at(2), paymentAppliedAt: at(2), deletedAt: at(2) };
    expect(unusedHours(offer, at(2))).toBe(9);
  });

  it('is the whole period when the payment reaches an ended or deleted offer', () => {
    expect(unusedHours({ ...paidOffer(), createdAt: at(1.01), paymentAppliedAt: at(11) }, at(11))).toBe(10);
    expect(unusedHours({ ...paidOffer(), deletedAt: at(2), paymentAppliedAt: at(5) }, at(5))).toBe(10);
  });
});

describe('for any life of an offer, unused time', () => {
  const hour = fc.integer({ min: -5, max: 20 });
  const maybeHour = fc.option(hour, { nil: null });
  const life: fc.Arbitrary<Lifecycle> = fc
    .record({
      createdAt: fc.integer({ min: -5, max: 2 }),
      paymentAppliedAt: maybeHour,
      pausedSince: maybeHour,
      disabledSince: maybeHour,
      deletedAt: maybeHour,
      stops: fc.array(fc.tuple(hour, hour), { maxLength: 4 }),
    })
    .map(toLife);

  it('lies between nothing and the scheduled period, in whole milliseconds', () => {
    fc.assert(
      fc.property(life, hour, (offer, now) => {
        const { unusedMs, scheduledMs } = unusedTime(offer, at(now));
        expect(unusedMs).toBeGreaterThanOrEqual(0);
        expect(unusedMs).toBeLessThanOrEqual(scheduledMs);
        expect(Number.isInteger(unusedMs)).toBe(true);
      }),
    );
  });

  it('never shrinks as time goes by', () => {
    fc.assert(
      fc.property(life, hour, hour, (offer, a, b) => {
        const earlier = unusedTime(offer, at(Math.min(a, b)));
        const later = unusedTime(offer, at(Math.max(a, b)));
        expect(later.unusedMs).toBeGreaterThanOrEqual(earlier.unusedMs);
      }),
    );
  });

  it('is what counting each hour one by one gives', () => {
    fc.assert(
      fc.property(life, hour, (offer, now) => {
        const hours = Array.from({ length: 10 }, (_, index) => index + 1);
        const counted = hours.filter((from) => wasLost(offer, from, now)).length;
        expect(unusedHours(offer, at(now))).toBe(counted);
      }),
    );
  });
});

type LifeInHours = {
  readonly createdAt: number;
  readonly paymentAppliedAt: number | null;
  readonly pausedSince: number | null;
  readonly disabledSince: number | null;
  readonly deletedAt: number | null;
  readonly stops: readonly (readonly [number, number])[];
};

function toLife(hours: LifeInHours): Lifecycle {
  return {
    ...paidOffer(),
    createdAt: at(hours.createdAt),
    paymentAppliedAt: orNull(hours.paymentAppliedAt),
    pausedSince: orNull(hours.pausedSince),
    disabledSince: orNull(hours.disabledSince),
    deletedAt: orNull(hours.deletedAt),
    stops: hours.stops.map(([a, b]) => ({ from: at(Math.min(a, b)), to: at(Math.max(a, b)) })),
  };
}

function orNull(hour: number | null): Date | null {
  return hour === null ? null : at(hour);
}

/** Whether a paid offer did not run in the hour that begins at `from`; an open stop lasts until now. */
function wasLost(offer: Lifecycle, from: number, now: number): boolean {
  const { paymentAppliedAt: appliedAt, deletedAt } = offer;
  if (appliedAt === null) return false;
  if (appliedAt >= at(11) || (deletedAt !== null && appliedAt > deletedAt)) return true;
  const middle = at(from + 0.5);
  const causes = [
    { from: at(-99), to: appliedAt },
    ...offer.stops,
    { from: offer.pausedSince ?? at(99), to: at(now) },
    { from: offer.disabledSince ?? at(99), to: at(now) },
    { from: deletedAt ?? at(99), to: at(99) },
  ];
  return middle > offer.createdAt && causes.some((cause) => cause.from < middle && middle < cause.to);
}
