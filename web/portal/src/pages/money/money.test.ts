import { describe, expect, test } from '@jest/globals';
import { transactionKind } from '@offer-ads/contracts/internal/billing-api';
import { amountFault, fieldAmount, minorOf, typedAmount, vatOnCard } from '../../amount-fields.ts';
import { entryText, signOf } from './entry-text.ts';
import { latestMonths } from './periods.ts';

describe('amounts', () => {
  test('may have blanks, commas and fewer decimals', () => {
    expect(typedAmount('250', 'GBP')).toBe(25_000n);
    expect(typedAmount(' 1,250.5 ', 'GBP')).toBe(125_050n);
    expect(typedAmount('1 250', 'GBP')).toBe(125_000n);
  });
  test.each(['', '0', '-5', '1.234', '1,5', '12,34', 'ten', '1e3'])('are refused: “%s”', (text) => {
    expect(typedAmount(text, 'GBP')).toBeUndefined();
  });
  test('in error messages have the decimals of the currency', () => {
    for (const currency of ['GBP', 'JPY']) {
      const example = /such as (\S+)\.$/.exec(amountFault(currency))?.[1] ?? '';
      expect(typedAmount(example, currency)).toBeGreaterThan(0n);
    }
    expect(amountFault('GBP')).toContain('99.50');
  });
  test('have 20% VAT in the United Kingdom, rounded half up, and none elsewhere', () => {
    expect(vatOnCard(10_000n, 'GB')).toBe(2_000n);
    expect(vatOnCard(33n, 'GB')).toBe(7n);
    expect(vatOnCard(10_000n, 'DE')).toBe(0n);
  });
  test('of estimates are exact to the penny', () => {
    expect(minorOf(0.1 + 0.2, 'GBP')).toBe(30n);
    expect(minorOf(591.86, 'GBP')).toBe(59_186n);
    expect(minorOf(591, 'JPY')).toBe(591n);
    expect(fieldAmount(59_186n, 'GBP')).toBe('591.86');
  });
});

test('each kind of booking has its own text', () => {
  const texts = transactionKind.options.map(entryText);
  expect(new Set(texts).size).toBe(texts.length);
  expect(texts.every((text) => text.length > 3)).toBe(true);
  expect([signOf('5'), signOf('0'), signOf('-5')]).toEqual(['+', '', '']);
});

test('months continue over the end of a year, without gaps', () => {
  const months = latestMonths(new Date('2026-02-15T00:00:00Z'), 3);
  expect(months.map(({ label }) => label)).toEqual(['February 2026', 'January 2026', 'December 2025']);
  expect(months[1]?.to).toEqual(months[0]?.from);
});
