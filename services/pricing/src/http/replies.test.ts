import { describe, expect, it } from '@jest/globals';
import { priceReply as priceReplySchema } from '@offer-ads/contracts/internal/pricing-api';
import { estimateReply as estimateReplySchema } from '@offer-ads/contracts/public/api';
import { fc } from '@offer-ads/testing/profile';
import { isHalfUp } from '../../test/half-up.ts';
import { priceOf } from '../domain/price.ts';
import { exchangeRateOf } from '../domain/rates/exchange-rate.ts';
import { estimateReply, priceReply } from './replies.ts';

const now = new Date('2026-11-20T18:00:00Z');

/** The estimate as a caller sees it: JSON numbers as text. */
function figuresOf(json: string): Record<string, string> {
  const figures = json.matchAll(/"(\w+)":(-?[\d.]+(?:e[+-]?\d+)?|null|"[^"]*")/g);
  return Object.fromEntries([...figures].map(([, name = '', value = '']) => [name, value]));
}

/** "12.5" with 2 places is 1250n; fails when there are more places than that. */
function scaled(text: string, places: number): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  if (!/^\d+$/.test(whole) || fraction.length > places) throw new Error(`${text} has not ${places} places`);
  return BigInt(whole + fraction.padEnd(places, '0'));
}

describe('the figures of an estimate', () => {
  it('can be recomputed from the JSON and the published rates, for any audience and period', () => {
    // Rates as the central bank publishes them, from the size of the yen to that of the pound.
    const rateE5 = fc.integer({ min: 10_000, max: 3_000_000_000 });
    fc.assert(
      fc.property(
        fc.constantFrom('GBP', 'EUR', 'USD', 'HUF', 'IDR'),
        rateE5,
        fc.integer({ min: 50_000, max: 200_000 }),
        fc.integer({ min: 1, max: 366 * 86_400_000 }),
        fc.integer({ min: 0, max: 1_000_000 }),
        (currency, currencyE5, poundE5, durationMs, matchingUsers) => {
          const perEuroE8 = new Map([
            [currency, BigInt(currencyE5) * 1_000n],
            ['GBP', BigInt(poundE5) * 1_000n],
          ]);
          const exchangeRate = exchangeRateOf(currency, [{ date: '2026-11-20', perEuroE8 }], now);
          const reply = estimateReply(priceOf({ durationMs, matchingUsers, exchangeRate }), currency);
          estimateReplySchema.parse(reply);
          const figures = figuresOf(JSON.stringify(reply));
          const adUnits = scaled(figures.ad_units ?? '', 2);
          const perGbp = scaled(figures.exchange_rate_per_gbp ?? '', 6);
          const cost = scaled(figures.estimated_cost ?? '', 2);
          const shownUnitPrice = scaled(figures.ad_unit_price ?? '', 6);

          // The specification's rule 1.
          expect(isHalfUp(adUnits, BigInt(durationMs) * BigInt(matchingUsers), 36_000n)).toBe(true);
          // Decision 16, exchange rates: the currency per euro divided by the pounds per euro, six places.
          const perEuro = currency === 'EUR' ? 100_000n : BigInt(currencyE5);
          const isRight =
            currency === 'GBP'
              ? perGbp === 1_000_000n
              : isHalfUp(perGbp, perEuro * 1_000_000n, BigInt(poundE5));
          expect(isRight).toBe(true);
          // Rule 3: 0.001 x rate, eight places; the rate has six, so the last digit decides.
          const unitPriceE8 = perGbp / 10n + (perGbp % 10n >= 5n ? 1n : 0n);
          // Rule 2.
          expect(isHalfUp(cost, adUnits * unitPriceE8, 100_000_000n)).toBe(true);
          // "Rounding": six places are shown.
          expect(isHalfUp(shownUnitPrice, unitPriceE8, 100n)).toBe(true);
          expect([figures.price_estimate, figures.matching_users]).toEqual([
            figures.ad_units,
            `${matchingUsers}`,
          ]);
        },
      ),
    );
  });

  it('are JSON numbers at any size', () => {
    const exchangeRate = { perGbpE6: 22_000_000_000n, date: '2026-11-20' };
    const price = priceOf({ durationMs: 8e15, matchingUsers: Number.MAX_SAFE_INTEGER, exchangeRate });
    const reply = JSON.parse(JSON.stringify(estimateReply(price, 'IDR'))) as Record<string, unknown>;
    expect(reply.ad_units).toBe(2.0015998343868868e25);
    expect(Number.isFinite(reply.estimated_cost)).toBe(true);
    // The creation gets every digit, within the contract's limits.
    expect(priceReplySchema.parse(priceReply(price))).toMatchObject({
      adUnitsHundredths: price.adUnitsHundredths.toString(),
      money: { costMinor: price.money?.costMinor.toString() },
    });
  });
});
