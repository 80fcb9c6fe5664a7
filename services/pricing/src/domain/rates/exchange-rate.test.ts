import { describe, expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import { isHalfUp } from '../../../test/half-up.ts';
import { exchangeRateOf, parseRateE8, type ReferenceRates } from './exchange-rate.ts';

const now = new Date('2026-11-20T18:00:00Z');
const rates: ReferenceRates = {
  date: '2026-11-20',
  perEuroE8: new Map([
    ['GBP', 87_750_000n],
    ['USD', 115_820_000n],
    ['JPY', 18_012_000_000n],
    ['TRY', 4_900_000_000n],
  ]),
};

describe('the exchange rate of a billing currency', () => {
  it.each([
    ['the pound', 'GBP', { perGbpE6: 1_000_000n, date: null }],
    // 1.1582 / 0.8775 = 1.31988604...
    ['a billed currency', 'USD', { perGbpE6: 1_319_886n, date: '2026-11-20' }],
    // 1 / 0.8775 = 1.13960114...
    ['the euro', 'EUR', { perGbpE6: 1_139_601n, date: '2026-11-20' }],
    ['a currency without two decimals', 'JPY', null],
    ['a currency that cards are not charged in', 'TRY', null],
    ['a currency that nobody publishes', 'AED', null],
    ['a code that is no currency', 'XXX', null],
    ['a billed currency that the fixing lacks', 'SEK', null],
  ])('of %s, %s, is what a pound buys, if it can be billed', (_, currency, rate) => {
    expect(exchangeRateOf(currency, [rates], now)).toEqual(rate);
  });

  it('does not exist before the first fixing was fetched, or when the last is out of date', () => {
    expect(exchangeRateOf('USD', [], now)).toBeNull();
    expect(exchangeRateOf('GBP', [], now)).not.toBeNull();
    expect(exchangeRateOf('USD', [{ ...rates, date: '2026-11-18' }], now)).toBeNull();
    expect(exchangeRateOf('USD', [{ ...rates, date: '2026-11-19' }], now)).not.toBeNull();
  });

  it('comes from the newest fixing that is not in the future', () => {
    const dollar = (date: string, perEuroE8: bigint) => ({
      date,
      perEuroE8: new Map([
        ['GBP', 100_000_000n],
        ['USD', perEuroE8],
      ]),
    });
    const fixings = [dollar('2026-11-23', 3n), dollar('2026-11-20', 200_000_000n), dollar('2026-11-19', 1n)];
    expect(exchangeRateOf('USD', fixings, now)).toEqual({ perGbpE6: 2_000_000n, date: '2026-11-20' });
  });

  it('comes from the fixing before, with its date, when the newest one lacks the currency', () => {
    const withoutDollar = { date: '2026-11-20', perEuroE8: new Map([['GBP', 87_000_000n]]) };
    const thursday = { ...rates, date: '2026-11-19' };
    const wednesday = { ...rates, date: '2026-11-18' };
    expect(exchangeRateOf('USD', [withoutDollar, thursday], now)).toEqual({
      perGbpE6: 1_319_886n,
      date: '2026-11-19',
    });
    expect(exchangeRateOf('USD', [withoutDollar, wednesday], now)).toBeNull();
    expect(exchangeRateOf('EUR', [withoutDollar, thursday], now)?.date).toBe('2026-11-20');
  });

  it('needs the pounds of the same fixing', () => {
    const withoutPound = { date: '2026-11-20', perEuroE8: new Map([['USD', 115_820_000n]]) };
    for (const currency of ['USD', 'EUR']) expect(exchangeRateOf(currency, [withoutPound], now)).toBeNull();
  });

  it('is the true quotient, rounded half-up to six places', () => {
    const positive = fc.bigInt({ min: 1_000_000n, max: 10n ** 14n });
    fc.assert(
      fc.property(positive, positive, (pounds, dollars) => {
        const perEuroE8 = new Map([
          ['GBP', pounds],
          ['USD', dollars],
        ]);
        const rateE6 = exchangeRateOf('USD', [{ date: rates.date, perEuroE8 }], now)?.perGbpE6 ?? -1n;
        expect(isHalfUp(rateE6, dollars * 1_000_000n, pounds)).toBe(true);
      }),
    );
  });
});

describe('a published rate', () => {
  it.each([
    ['1.1582', 115_820_000n],
    ['19123.45', 1_912_345_000_000n],
    ['1', 100_000_000n],
    ['0.00000001', 1n],
  ])('%s is read without loss', (text, expected) => {
    expect(parseRateE8(text)).toBe(expected);
  });

  const faulty = ['', '0', '0.0000', '-1.2', '+1.2', '1e3', '1,5', '1.', '.5', ' 1.5', 'N/A', '1.123456789'];
  it.each([...faulty, '9999999999'])('"%s" is refused', (text) => {
    expect(parseRateE8(text)).toBeUndefined();
  });
});
