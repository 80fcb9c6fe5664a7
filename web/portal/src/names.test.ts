import { describe, expect, it } from '@jest/globals';
import { byName, countryName, currencyName, currencyOfCountry, slugOf } from './names.ts';

describe('names', () => {
  it('are in English, with the code of a currency', () => {
    expect(countryName('GB')).toBe('United Kingdom');
    expect(currencyName('GBP')).toBe('British Pound (GBP)');
  });

  it('are the codes where there is no name', () => {
    expect(countryName('QX')).toBe('QX');
    expect(currencyName('QXQ')).toBe('QXQ');
  });

  it('are sorted by name, not by code', () => {
    const names = byName(['DE', 'AX', 'FR'], countryName).map(({ name }) => name);
    expect(names).toEqual(['Åland Islands', 'France', 'Germany']);
  });

  it.each([
    ['GB', 'GBP'],
    ['IE', 'EUR'],
    ['FR', 'EUR'],
    ['', undefined],
    ['PK', undefined],
  ])('propose for the country %p the currency %p', (country, currency) => {
    expect(currencyOfCountry(country, ['AUD', 'EUR', 'GBP'])).toBe(currency);
  });

  it('are letters, digits and hyphens in the names of files', () => {
    expect(slugOf('Café Ω & Söhne GmbH')).toBe('cafe-sohne-gmbh');
    expect(slugOf('さくら')).toBe('organisation');
    expect(slugOf('../../etc/passwd')).toBe('etc-passwd');
  });
});
