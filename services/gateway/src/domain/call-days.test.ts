import { describe, expect, it } from '@jest/globals';
import { readCallCursor, writeCallCursor } from './call-cursor.ts';
import { daysFrom, isLoggable, isPastRetention, keptSince } from './call-days.ts';

const now = new Date('2026-06-01T12:00:00.000Z');

describe('a day of the call log', () => {
  it('is past its retention when its last millisecond is older than 90 days', () => {
    expect(keptSince(now)).toEqual(new Date('2026-03-03T12:00:00.000Z'));
    expect(isPastRetention('2026-03-02', now)).toBe(true);
    expect(isPastRetention('2026-03-03', now)).toBe(false);
    expect(isPastRetention('2026-03-03', new Date('2026-06-01T23:59:59.999Z'))).toBe(false);
    expect(isPastRetention('2026-03-03', new Date('2026-06-02T00:00:00.000Z'))).toBe(true);
  });

  it('is followed by the next one over the ends of months and years', () => {
    expect(daysFrom(new Date('2027-12-30T23:59:59.999Z'), 3)).toEqual([
      '2027-12-30',
      '2027-12-31',
      '2028-01-01',
    ]);
  });
});

describe('a call is logged', () => {
  it.each([
    ['2026-03-03T11:59:59.999Z', false],
    ['2026-03-03T12:00:00.000Z', true],
    ['2026-08-30T12:00:00.000Z', true],
    ['2026-08-30T12:00:00.001Z', false],
  ])('when its time, such as %s, is within 90 days of now: %s', (at, loggable) => {
    expect(isLoggable(new Date(at), now)).toBe(loggable);
  });
});

describe('the cursor of a page', () => {
  it('holds the place of the last call, and can be used in a URL', () => {
    const place = { at: now, id: '0f8fad5b-d9cb-469f-a165-70867728950e' };
    const cursor = writeCallCursor(place);
    expect(cursor).toMatch(/^[\w-]+$/);
    expect(readCallCursor(cursor)).toEqual(place);
  });

  it.each(['', 'nonsense', Buffer.from('1~x').toString('base64url')])('is refused when it is %j', (text) => {
    expect(readCallCursor(text)).toBeNull();
  });
});
