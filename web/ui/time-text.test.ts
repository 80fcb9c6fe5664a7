import { describe, expect, it } from '@jest/globals';
import { dayText, endOfDay, localText, momentText } from './time-text.ts';

describe('a moment', () => {
  // Midday in UTC, so that the day is the same in most time zones.
  it('has the month as a word', () => {
    expect(momentText('2026-11-05T12:00:00.000Z', 'day')).toBe('5 Nov 2026');
  });

  it('has seconds on request', () => {
    expect(momentText('2026-11-05T12:00:07.000Z', 'second')).toMatch(/:07$/);
    expect(momentText('2026-11-05T12:00:07.000Z')).not.toMatch(/07$/);
  });

  it('has the day of UTC on request, as documents have it', () => {
    const { TZ } = process.env;
    process.env.TZ = 'Asia/Tokyo';
    try {
      expect(new Date('2026-11-30T23:30:00Z').getDate()).toBe(1);
      expect(momentText('2026-11-30T23:30:00.000Z', 'utc-day')).toBe('30 Nov 2026');
    } finally {
      if (TZ === undefined) delete process.env.TZ;
      else process.env.TZ = TZ;
    }
  });
});

describe('the fields of a browser', () => {
  it('name a day, which ends when the next one begins', () => {
    expect(endOfDay('2026-12-31')).toEqual(new Date(2027, 0, 1));
    expect(endOfDay('2028-02-28')).toEqual(new Date(2028, 1, 29));
  });

  it('are null when they are empty or incomplete', () => {
    expect(endOfDay('')).toBeNull();
    expect(endOfDay('2026-12')).toBeNull();
    expect(endOfDay('2026-xx-01')).toBeNull();
  });

  it('have the local time', () => {
    const at = new Date(2026, 0, 5, 8, 3);
    expect(dayText(at)).toBe('2026-01-05');
    expect(localText(at)).toBe('2026-01-05T08:03');
    expect(new Date(localText(at))).toEqual(at);
  });
});
