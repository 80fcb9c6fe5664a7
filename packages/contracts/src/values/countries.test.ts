import { describe, expect, it } from '@jest/globals';
import { countries } from './countries.ts';
import { country } from './primitives.ts';

describe('the countries', () => {
  it('are the 249 of ISO 3166-1, each once, in order', () => {
    expect(countries).toHaveLength(249);
    expect([...new Set(countries)].toSorted((a, b) => (a < b ? -1 : 1))).toEqual(countries);
    for (const code of countries) expect(country.safeParse(code).success).toBe(true);
  });

  it('have names in browsers', () => {
    const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
    expect(countries.filter((code) => names.of(code) === undefined)).toEqual([]);
  });
});
