import { describe, expect, it } from '@jest/globals';
import { dateTimeFault, parseDateTime } from './date-time.ts';

describe('a date-time from a caller', () => {
  it.each([
    ['2026-03-01T10:00:00Z', '2026-03-01T10:00:00.000Z'],
    ['2026-03-01T10:00:00.5Z', '2026-03-01T10:00:00.500Z'],
    ['2026-03-01T10:00:00.123987Z', '2026-03-01T10:00:00.123Z'],
    ['2026-03-01T10:00Z', '2026-03-01T10:00:00.000Z'],
    ['2026-03-01t10:00:00z', '2026-03-01T10:00:00.000Z'],
    ['2026-03-01t10:00:00+02:00', '2026-03-01T08:00:00.000Z'],
    ['2026-03-01T10:00:00+02:00', '2026-03-01T08:00:00.000Z'],
    ['2024-02-29T23:59:59-05:30', '2024-03-01T05:29:59.000Z'],
  ])('%s is %s', (text, expected) => {
    expect(parseDateTime(text)?.toISOString()).toBe(expected);
  });

  it.each([
    ['without a zone', '2026-03-01T10:00:00'],
    ['with a date only', '2026-03-01'],
    ['on a day that does not exist', '2026-02-30T10:00:00Z'],
    ['in a month that does not exist', '2026-13-01T10:00:00Z'],
    ['at an hour that does not exist', '2026-03-01T24:00:00Z'],
    ['with a blank instead of the T', '2026-03-01 10:00:00Z'],
    ['with an offset without a colon', '2026-03-01T10:00:00+0200'],
    ['as words', 'tomorrow'],
    ['as Unix time', '1772359200'],
    ['empty', ''],
    ['before the year 0 in UTC', '0000-01-01T00:00:00+00:01'],
    ['after the year 9999 in UTC', '9999-12-31T23:59:59-00:01'],
  ])('%s is refused', (_, text) => {
    expect(parseDateTime(text)).toBeUndefined();
  });

  it.each([
    ['2026-03-01T10:00:00 02:00', /Z; write the \+ of an offset as %2B$/],
    ['2026-03-01T10:00:00 0200', /with a colon, such as \+02:00; write the \+ of an offset as %2B$/],
    [
      '2026-03-01T10:00:00+0200',
      /Z; write the hours and minutes of an offset with a colon, such as \+02:00$/,
    ],
    ['tomorrow', /Z$/],
    ['01-03-2026', /Z$/],
    [['2026-03-01T10:00:00+0200'], /Z$/],
  ])('that is %j is refused with what to change', (given, fault) => {
    expect(dateTimeFault(given)).toMatch(/^must be an ISO 8601 date and time with its zone, such as /);
    expect(dateTimeFault(given)).toMatch(fault);
  });
});
