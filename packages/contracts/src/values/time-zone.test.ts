import { describe, expect, it } from '@jest/globals';
import { isTimeZone } from './time-zone.ts';

describe('the name of a time zone', () => {
  it.each(['UTC', 'Europe/London', 'America/Argentina/Buenos_Aires', 'Asia/Kolkata', 'Etc/GMT+5'])(
    'can be %s',
    (name) => {
      expect(isTimeZone(name)).toBe(true);
    },
  );
  it.each([
    '',
    '+01:00',
    'Europe/Nowhere',
    'Europe/London ',
    '../etc/passwd',
    'x'.repeat(65),
    'Europe/London\n',
  ])('cannot be %j', (name) => {
    expect(isTimeZone(name)).toBe(false);
  });
});
