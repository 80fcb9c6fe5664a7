import { describe, expect, it } from '@jest/globals';
import { byName, countryName, currencyName } from './names.ts';

describe('names', () => {
  it('are those that people use, with the code of a currency, which is on invoices', () => {
    expect(countryName('GB')).toBe('United Kingdom');
    expect(currencyName('GBP')).toBe('British Pound (GBP)');
  });

  it('are the codes of what nobody has named', () => {
    expect(countryName('QX')).toBe('QX');
    expect(currencyName('QXQ')).toBe('QXQ');
  });

  it('are in the order of the names, not of the codes', () => {
    const names = byName(['DE', 'AX', 'FR'], countryName).map(({ name }) => name);
    expect(names).toEqual(['Åland Islands', 'France', 'Germany']);
  });
});
