import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { amountText, countryText } from './amount-text.ts';
import { formatMinor, minorUnitDigits } from './currencies.ts';

const currencies = Intl.supportedValuesOf('currency');
/** Blanks and apostrophes differ between versions of Unicode's data. */
const plain = (text: string) => text.replace(/\p{Zs}/gu, ' ').replaceAll('’', "'");

describe('an amount', () => {
  it.each([
    [123_456_789n, 'GBP', 'GB', 'GBP 1,234,567.89'],
    [123_456_789n, 'INR', 'IN', 'INR 12,34,567.89'],
    [123_456_789n, 'USD', 'US', 'USD 1,234,567.89'],
    [123_456_789n, 'EUR', 'DE', '1.234.567,89 EUR'],
    [123_456_789n, 'EUR', 'FR', '1 234 567,89 EUR'],
    [123_456_789n, 'MXN', 'MX', 'MXN 1,234,567.89'],
    [123_456_789n, 'CHF', 'CH', "CHF 1'234'567.89"],
    [123_456_789n, 'HUF', 'HU', '1 234 567,89 HUF'],
    [123_456_789n, 'ILS', 'IL', '1,234,567.89 ILS'],
    [123_456n, 'IDR', 'ID', 'IDR 1.234,56'],
    [1n, 'EUR', 'IE', 'EUR 0.01'],
    [100n, 'JPY', 'JP', 'JPY 100'],
    [5n, 'EUR', 'nonsense', 'EUR 0.05'],
  ])('of %s minor units %s for %s reads %s', (minor, currency, country, text) =>
    expect(plain(amountText(minor, currency, country))).toBe(text),
  );

  it('shows every digit of any amount in any currency', () => {
    const amounts = fc.tuple(
      fc.bigInt({ min: 0n, max: 10n ** 18n }),
      fc.constantFrom(...currencies),
      fc.constantFrom('GB', 'DE', 'CH', 'IN', 'EG', 'IL', 'IR', 'TH', 'ZA', 'ZZ'),
    );
    fc.assert(
      fc.property(amounts, ([minor, currency, country]) => {
        const text = amountText(minor, currency, country);
        expect(text).not.toMatch(/\p{Cf}/u);
        const digits = text.replace(currency, '').replace(/\D/g, '');
        expect(digits).toBe(formatMinor(minor, currency).replace('.', ''));
        expect(digits.length).toBeGreaterThan(minorUnitDigits(currency));
      }),
    );
  });
});

it('a country is shown by its name, and another text unchanged', () => {
  expect([countryText('PL'), countryText('ZZ9')]).toEqual(['Poland', 'ZZ9']);
});
