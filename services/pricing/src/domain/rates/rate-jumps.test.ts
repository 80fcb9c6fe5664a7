import { describe, expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import type { ReferenceRates } from './exchange-rate.ts';
import { jumpsOf } from './rate-jumps.ts';

/** Rates per euro, as published. */
function fixing(date: string, rates: Readonly<Record<string, number>>): ReferenceRates {
  return {
    date,
    perEuroE8: new Map(Object.entries(rates).map(([code, rate]) => [code, BigInt(Math.round(rate * 1e8))])),
  };
}

const thursday = fixing('2026-11-19', { GBP: 0.88, USD: 1.16, TRY: 48.9 });
const friday = (rates: Readonly<Record<string, number>>) => fixing('2026-11-20', rates);

describe('a currency jumps', () => {
  it.each([
    ['when it is more than 20 % above the last good fixing', { USD: 1.16 * 1.2 + 1e-8 }, ['USD']],
    ['when it is more than 20 % below it', { USD: 1.16 * 0.8 - 1e-8 }, ['USD']],
    ['when its decimal point moved', { USD: 11.6 }, ['USD']],
    ['when it is upside down', { GBP: 1 / 0.88 }, ['GBP']],
    ['not with exactly 20 % more', { USD: 1.392 }, []],
    ['not with exactly 20 % less', { USD: 0.928 }, []],
    ['not by what is usual', { GBP: 0.89, USD: 1.15 }, []],
    ['not when nobody is billed in it', { TRY: 97.8 }, []],
    ['not when it was never there before', { SEK: 11 }, []],
  ])('%s', (_, rates, expected) => {
    expect(jumpsOf(friday({ GBP: 0.88, USD: 1.16, ...rates }), [thursday])).toEqual(expected);
  });

  const october = fixing('2026-10-01', { USD: 1.16 });
  const wednesday = fixing('2026-11-18', { USD: 1.16 });
  const withoutDollar = fixing('2026-11-19', { GBP: 0.88 });
  const doubled = friday({ USD: 2.32 });
  const monday = fixing('2026-11-23', { USD: 2.32 });
  it.each([
    ['never as the first fixing of all', 1.16, [], false],
    ['by the same limit after weeks, so that a person looks at it', 1.4, [october], true],
    ['against the last fixing that had it', 2, [withoutDollar, wednesday], true],
    ['not as a correction near to the fixing before', 1.17, [doubled, thursday], false],
    ['not as a correction near to what was accepted', 2.31, [doubled, thursday], false],
    ['as a correction that is far from both', 5, [doubled, thursday], true],
    ['between two fixings, against the one before', 2.31, [monday, thursday], true],
    ['not between two fixings, near to the one before', 1.17, [monday, thursday], false],
    ['before all fixings, against the one after', 9, [monday], true],
    ['not before all fixings, near to the one after', 2.2, [monday], false],
  ])('%s', (_, rate, stored, jumps) => {
    expect(jumpsOf(friday({ USD: rate }), stored)).toEqual(jumps ? ['USD'] : []);
  });
});

describe('any two rates', () => {
  it('are a jump exactly when they differ by more than a fifth of the first', () => {
    const rate = fc.bigInt({ min: 1n, max: 10n ** 12n });
    fc.assert(
      fc.property(rate, rate, (before, after) => {
        const good = { date: '2026-11-19', perEuroE8: new Map([['USD', before]]) };
        const next = { date: '2026-11-20', perEuroE8: new Map([['USD', after]]) };
        // after / before lies between 4/5 and 6/5
        const isNear = 4n * before <= 5n * after && 5n * after <= 6n * before;
        expect(jumpsOf(next, [good])).toEqual(isNear ? [] : ['USD']);
      }),
    );
  });
});
