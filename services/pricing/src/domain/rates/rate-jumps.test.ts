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

  it('never with the first fixing of all', () => {
    expect(jumpsOf(thursday, [])).toEqual([]);
  });

  it('by the same limit after a gap of weeks, so that a person looks at it', () => {
    const october = fixing('2026-10-01', { GBP: 0.88, USD: 1.16 });
    expect(jumpsOf(friday({ GBP: 0.88, USD: 1.4 }), [october])).toEqual(['USD']);
  });

  it('against the last fixing that had it', () => {
    const withoutDollar = fixing('2026-11-19', { GBP: 0.88 });
    const wednesday = fixing('2026-11-18', { GBP: 0.88, USD: 1.16 });
    expect(jumpsOf(friday({ GBP: 0.88, USD: 2 }), [withoutDollar, wednesday])).toEqual(['USD']);
  });
});

describe('a correction of a stored fixing', () => {
  const doubled = friday({ GBP: 0.88, USD: 2.32 });

  it('is taken when it is near to the fixing before, whatever it corrects', () => {
    expect(jumpsOf(friday({ GBP: 0.88, USD: 1.17 }), [doubled, thursday])).toEqual([]);
  });

  it('is taken when it is near to what was accepted for its date', () => {
    expect(jumpsOf(friday({ GBP: 0.88, USD: 2.31 }), [doubled, thursday])).toEqual([]);
  });

  it('is refused when it is far from both', () => {
    expect(jumpsOf(friday({ GBP: 0.88, USD: 5 }), [doubled, thursday])).toEqual(['USD']);
  });
});

describe('a fixing that lies between two that are stored', () => {
  it('is compared with the one before it, whatever came after', () => {
    const monday = fixing('2026-11-23', { GBP: 0.88, USD: 2.32 });
    expect(jumpsOf(friday({ GBP: 0.88, USD: 2.31 }), [monday, thursday])).toEqual(['USD']);
    expect(jumpsOf(friday({ GBP: 0.88, USD: 1.17 }), [monday, thursday])).toEqual([]);
  });
});

describe('a fixing that is older than all that are stored', () => {
  it('is compared with the one that came after it', () => {
    const wednesday = fixing('2026-11-18', { GBP: 0.88, USD: 9 });
    expect(jumpsOf(wednesday, [friday({ GBP: 0.88, USD: 9 }), thursday])).toEqual(['USD']);
    expect(jumpsOf(fixing('2026-11-18', { USD: 1.1 }), [friday({ USD: 9 }), thursday])).toEqual([]);
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
