import { describe, expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import { clockOf } from './country-clock.ts';

const june = new Date('2025-06-02T21:05:00Z');
const december = new Date('2025-12-02T21:05:00Z');
/** Some releases have a narrow blank before "pm". */
const plain = (text: string) => text.replace(/\p{Zs}/gu, ' ');

describe('an instant', () => {
  it.each([
    ['GB', '2 June 2025 at 22:05 (UTC+1)', '2 December 2025 at 21:05 (UTC)'],
    ['DE', '2 June 2025 at 23:05 (UTC+2)', '2 December 2025 at 22:05 (UTC+1)'],
    ['FR', '2 June 2025 at 23:05 (UTC+2)', '2 December 2025 at 22:05 (UTC+1)'],
    ['IN', '3 June 2025 at 2:35 am (UTC+5:30)', '3 December 2025 at 2:35 am (UTC+5:30)'],
    ['JP', 'June 3, 2025 at 06:05 (UTC+9)', 'December 3, 2025 at 06:05 (UTC+9)'],
  ])('in %s is told by the one clock of that country, in summer and in winter', (country, summer, winter) => {
    expect(plain(clockOf(country)(june))).toBe(summer);
    expect(plain(clockOf(country)(december))).toBe(winter);
  });

  it.each([
    ['US', 'June 2, 2025 at 9:05 PM (UTC)'],
    ['AU', '2 June 2025 at 9:05 pm (UTC)'],
    ['ES', '2 June 2025 at 21:05 (UTC)'],
    ['BR', '2 June 2025 at 21:05 (UTC)'],
  ])('in %s, where clocks differ, is told in UTC', (country, text) =>
    expect(plain(clockOf(country)(june))).toBe(text),
  );

  it('is shown in UTC when the country is unknown or missing', () => {
    for (const country of [undefined, 'ZZ', '', 'Germany', 'de'])
      expect(clockOf(country)(june)).toBe('2 June 2025 at 21:05 (UTC)');
  });

  it('has a Gregorian year, Western digits and its time zone, whatever the country', () => {
    const letter = fc.integer({ min: 65, max: 90 });
    const countries = fc.tuple(letter, letter).map((codes) => String.fromCharCode(...codes));
    fc.assert(
      fc.property(countries, (country) => {
        const text = plain(clockOf(country)(june));
        expect(text).toMatch(
          /^[\w ,]+\b2025 at \d{1,2}[:.]\d\d( [ap]\.?m\.?)? \(UTC([+-]\d{1,2}(:\d\d)?)?\)$/i,
        );
      }),
    );
  });
});
