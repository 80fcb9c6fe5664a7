/** The state of the rates for the platform team: rates in use, their age, and what was refused. */
import type { RatesReply } from '@offer-ads/contracts/admin/pricing-api';
import { billedCurrencies } from '@offer-ads/contracts/values/currencies';
import type { ReferenceRates } from '../domain/rates/exchange-rate.ts';
import type { CachedRates } from './cached-rates.ts';
import type { Jump, RatesRefresher } from './refresh-rates.ts';
import { ratesAge } from './watch-rates.ts';

export function ratesStanding(
  { cached, refused }: { cached: Omit<CachedRates, 'refresh'>; refused: RatesRefresher['refused'] },
  now: Date,
): RatesReply {
  const { latest, missing, outOfDate } = ratesAge(cached, now);
  const last = refused();
  return {
    date: latest ?? null,
    missingFixings: missing,
    outOfDate,
    perGbp: billedCurrencies.map((currency) => {
      const rate = cached.exchangeRate(currency, now);
      return { currency, rate: rate && decimal(rate.perGbpE6, 6) };
    }),
    refused: last && {
      at: last.at.toISOString(),
      reason: last.reason,
      problem: last.problem,
      jump: last.reason === 'jump' ? jumpShown(last.jump, cached.fixings()) : null,
    },
  };
}

function jumpShown({ rates, currencies }: Jump, fixings: readonly ReferenceRates[]) {
  return {
    date: rates.date,
    currencies: currencies.map((currency) => {
      const lastE8 = fixings.find(({ perEuroE8 }) => perEuroE8.has(currency))?.perEuroE8.get(currency);
      return {
        currency,
        lastPerEuro: lastE8 === undefined ? null : decimal(lastE8, 8),
        perEuro: decimal(rates.perEuroE8.get(currency) ?? 0n, 8),
      };
    }),
  };
}

/** Without trailing zeros, as the central bank writes it. */
function decimal(scaled: bigint, places: number): string {
  const digits = scaled.toString().padStart(places + 1, '0');
  const fraction = digits.slice(-places).replace(/0+$/, '');
  return `${digits.slice(0, -places)}${fraction === '' ? '' : `.${fraction}`}`;
}
