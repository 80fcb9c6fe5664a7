import { describe, expect, test } from '@jest/globals';
import { transactionKind } from '@offer-ads/contracts/internal/billing-api';
import { amountText } from '@offer-ads/contracts/values/amount-text';
import { billedCurrencies } from '@offer-ads/contracts/values/currencies';
import fc from 'fast-check';
import { entryText, signOf } from '../../../../ui/entry-text.ts';
import { latestMonths } from '../../../../ui/periods.ts';
import { fieldAmount, minorOf, readAmount, typedAmount, vatOnCard } from '../../amounts/amount-fields.ts';
import { addressOf, choices, parametersOf, statementFilterOf } from './statement-filter.ts';

const british = { currency: 'GBP', country: 'GB' };
const amountOf = fc.record({
  minor: fc.bigInt({ min: 1n, max: 10n ** 14n }),
  currency: fc.constantFrom(...billedCurrencies),
  country: fc.constantFrom(
    ...'GB DE FR CH AT IN US IL ZA BR PL CZ HU ES PT NL BE NO SE DK FI EG TR JP ID MX'.split(' '),
  ),
});

describe('amounts', () => {
  test.each([
    ['250', 25_000n],
    [' 1,250.5 ', 125_050n],
    ['1 250', 125_000n],
    ['1.250,50', 125_050n],
    ['50,00', 5_000n],
    ['1,5', 150n],
    ['£50', 5_000n],
    ['50 gbp', 5_000n],
    ['GBP 1,250.00', 125_000n],
    ['1,250', 125_000n],
    ['1.250.000', 125_000_000n],
    ["1'250", 125_000n],
    ['1,00,000', 10_000_000n],
  ])('are read as people write them: “%s”', (text, minor) => {
    expect(typedAmount(text, british)).toBe(minor);
  });
  const noAmounts = ['', '0', '0,00', '-5', '£-5', 'ten', '1e3', '50.', '$50', '50 EUR', 'GBP 50 GBP'];
  const noNumbers = ['1,2345', '1234.567', '0,500', '1,250.500', '1,25,0', '1,250 000', '12 34'];
  test.each([...noAmounts, ...noNumbers])('are refused: “%s”', (text) => {
    expect(typedAmount(text, british)).toBeUndefined();
  });
  test('with one comma or point before three digits are read in the format of the account, or refused', () => {
    const read = (country: string, currency: string) =>
      ['1,000', '1.000'].map((text) => typedAmount(text, { country, currency }));
    expect(read('GB', 'GBP')).toEqual([100_000n, undefined]);
    expect(read('DE', 'EUR')).toEqual([undefined, 100_000n]);
    expect(read('FR', 'EUR')).toEqual([undefined, undefined]);
    const refused = readAmount('1.000', british);
    const words =
      '“1.000” is not clear. Write 1000 for GBP 1,000.00; otherwise write decimals as in GBP 99.50.';
    expect(refused).toEqual({ ok: false, fault: words.replaceAll('GBP ', 'GBP\u00a0') });
  });
  test('are read as every page shows them, in every billed currency and country', () => {
    fc.assert(
      fc.property(amountOf, ({ minor, ...format }) => {
        expect(typedAmount(amountText(minor, format.currency, format.country), format)).toBe(minor);
        expect(typedAmount(fieldAmount(minor, format), format)).toBe(minor);
      }),
    );
  });
  test('never have two readings: a text that two accounts read differently does not exist', () => {
    const texts = fc.stringMatching(/^[1-9]\d{0,3}(?:[.,]\d{1,3}){0,3}$/);
    fc.assert(
      fc.property(texts, amountOf, amountOf, (text, { country }, { country: other }) => {
        const read = [country, other].map((reader) =>
          typedAmount(text, { currency: 'EUR', country: reader }),
        );
        const known = read.filter((minor) => minor !== undefined);
        expect(new Set(known).size).toBeLessThanOrEqual(1);
      }),
    );
  });
  test('in error messages are in the format of the account', () => {
    for (const format of [british, { currency: 'EUR', country: 'DE' }, { currency: 'JPY', country: 'JP' }]) {
      const refused = readAmount('ten', format);
      const example = refused.ok ? '' : (/such as (.+)\.$/.exec(refused.fault)?.[1] ?? '');
      expect(typedAmount(example, format)).toBeGreaterThan(0n);
    }
    expect(readAmount('ten', { currency: 'EUR', country: 'DE' })).toEqual({
      ok: false,
      fault: 'Enter an amount such as 99,50\u00a0EUR.',
    });
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
    expect(fieldAmount(59_186n, british)).toBe('591.86');
  });
});

test('each kind of booking has its own text', () => {
  const texts = transactionKind.options.map(entryText);
  expect(new Set(texts).size).toBe(texts.length);
  expect(texts.every((text) => text.length > 3)).toBe(true);
  expect([signOf('5'), signOf('0'), signOf('-5')]).toEqual(['+', '', '']);
});

test('each kind of booking is shown by a filter, and the address of a filter gives the filter again', () => {
  const shown = new Set(Object.values(choices).flatMap(({ kinds }): readonly string[] => kinds));
  expect(transactionKind.options.filter((kind) => !shown.has(kind))).toEqual([]);
  const months = latestMonths(new Date('2026-02-15T00:00:00Z'), 3, new Date(0));
  const read = (address: string) =>
    statementFilterOf(Object.fromEntries(new URLSearchParams(address)), months);
  const [, january = null] = months;
  for (const filter of [
    { show: null, month: null },
    { show: 'credits', month: january },
  ] as const)
    expect(read(addressOf(filter))).toEqual(filter);
  expect(read('?show=toString&month=2020-01')).toEqual({ show: null, month: null });
  expect(parametersOf({ show: 'credits', month: january })).toEqual({
    kinds: 'unused-time-credit',
    from: '2026-01-01T00:00:00.000Z',
    to: '2026-02-01T00:00:00.000Z',
  });
});

test('months continue over the end of a year, without gaps', () => {
  const now = new Date('2026-02-15T00:00:00Z');
  const months = latestMonths(now, 3, new Date('2025-06-01T00:00:00Z'));
  expect(months.map(({ label }) => label)).toEqual(['February 2026', 'January 2026', 'December 2025']);
  expect(months[1]?.to).toEqual(months[0]?.from);
  // The organisation had no account in December.
  const since = latestMonths(now, 3, new Date('2026-01-31T23:59:59Z'));
  expect(since.map(({ label }) => label)).toEqual(['February 2026', 'January 2026']);
});
