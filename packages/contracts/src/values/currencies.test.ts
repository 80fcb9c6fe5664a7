import { describe, expect, it } from '@jest/globals';
import {
  cardMaximumMinor,
  cardMinimumMinor,
  formatMinor,
  isBilledCurrency,
  minorUnitDigits,
  parseAmount,
} from './currencies.ts';

describe('billed currencies', () => {
  it('have two decimals, a published rate and a card minimum', () => {
    for (const billed of ['GBP', 'EUR', 'USD', 'HUF', 'IDR', 'ZAR'])
      expect(isBilledCurrency(billed)).toBe(true);
  });

  it('never include a currency without decimals, so that no amount is billed a hundred times too high', () => {
    for (const whole of ['JPY', 'KRW', 'ISK']) expect(isBilledCurrency(whole)).toBe(false);
  });

  it('need both the rate and the minimum', () => {
    expect(isBilledCurrency('AED')).toBe(false); // a minimum but no reference rate
    expect(isBilledCurrency('TRY')).toBe(false); // a reference rate but no minimum
    expect(isBilledCurrency('XXX')).toBe(false);
  });
});

it('the card minimums are those of the specification', () => {
  expect(cardMinimumMinor('GBP')).toBe(30n);
  expect(cardMinimumMinor('USD')).toBe(50n);
  expect(cardMinimumMinor('EUR')).toBe(50n);
  expect(cardMinimumMinor('HUF')).toBe(17_500n);
  expect(cardMinimumMinor('JPY')).toBeUndefined();
});

it('the largest card payment is worth more than a thousand pounds in every billed currency', () => {
  expect(cardMaximumMinor('GBP')).toBe(99_999_999n);
  expect(cardMaximumMinor('HUF')).toBe(99_999_999n);
  // 999,999.99 rupiah are about 45 pounds.
  expect(cardMaximumMinor('IDR')).toBe(999_999_999_999n);
});

describe('amounts as text', () => {
  it('have the decimals of their currency', () => {
    expect(formatMinor(10_000n, 'GBP')).toBe('100.00');
    expect(formatMinor(5n, 'GBP')).toBe('0.05');
    expect(formatMinor(-5n, 'USD')).toBe('-0.05');
    expect(formatMinor(100n, 'JPY')).toBe('100');
    expect(minorUnitDigits('JPY')).toBe(0);
  });

  it('are parsed to the same minor units', () => {
    for (const minor of [0n, 1n, 99n, 100n, -1n, 123_456_789_012n]) {
      for (const code of ['GBP', 'JPY']) expect(parseAmount(formatMinor(minor, code), code)).toBe(minor);
    }
    expect(parseAmount('100', 'GBP')).toBe(10_000n);
    expect(parseAmount('100.5', 'GBP')).toBe(10_050n);
  });

  it('are refused when they have too many decimals or are no number', () => {
    for (const text of ['', '1.005', '1,00', '1.', '.5', '1e3', ' 1', '+1', 'abc', '1.0.0']) {
      expect(parseAmount(text, 'GBP')).toBeUndefined();
    }
    expect(parseAmount('1.5', 'JPY')).toBeUndefined();
  });
});
