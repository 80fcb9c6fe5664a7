import { describe, expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import { DAY_SLOTS, inboxSlot, OTHER_DAYS, slotToEmpty } from './inbox-slots.ts';

const HOUR_MS = 3_600_000;
const instant = fc.date({
  min: new Date('2026-01-01T00:00:00Z'),
  max: new Date('2030-01-01T00:00:00Z'),
  noInvalidDate: true,
});
const after = (from: Date, hours: number) => new Date(from.getTime() + hours * HOUR_MS);
/** From four days before to two days after. */
const nearbyHours = fc.integer({ min: -96, max: 48 });

describe('the slot of an event', () => {
  it('is the same for every repeat within three days of the event, whenever it first came', () => {
    fc.assert(
      fc.property(instant, fc.nat({ max: 72 }), fc.nat({ max: 72 }), (seenAt, first, again) => {
        expect(inboxSlot(seenAt, after(seenAt, first))).toBe(inboxSlot(seenAt, after(seenAt, again)));
      }),
    );
  });

  it('is never the one that is being emptied, and no two days in use share one', () => {
    fc.assert(
      fc.property(instant, nearbyHours, nearbyHours, (now, one, other) => {
        const [a, b] = [after(now, one), after(now, other)];
        const slot = inboxSlot(a, now);
        expect(slot).not.toBe(slotToEmpty(now));
        const sameDay = a.toISOString().slice(0, 10) === b.toISOString().slice(0, 10);
        if (slot !== OTHER_DAYS && inboxSlot(b, now) === slot) expect(sameDay).toBe(true);
      }),
    );
  });

  it('is emptied between two days that use it', () => {
    const start = new Date('2026-06-01T12:00:00Z');
    const emptied = Array.from({ length: DAY_SLOTS }, (_, day) => slotToEmpty(after(start, day * 24)));
    expect(new Set(emptied).size).toBe(DAY_SLOTS);
  });

  it('is the one for other days if the event is older than three days, or more than a day ahead', () => {
    const now = new Date('2026-06-10T12:00:00Z');
    for (const seenAt of ['2026-06-06T23:59:59.999Z', '2026-06-12T00:00:00Z', '1969-12-31T00:00:00Z'])
      expect(inboxSlot(new Date(seenAt), now)).toBe(OTHER_DAYS);
    for (const seenAt of ['2026-06-07T00:00:00Z', '2026-06-11T23:59:59.999Z'])
      expect(inboxSlot(new Date(seenAt), now)).not.toBe(OTHER_DAYS);
  });
});
