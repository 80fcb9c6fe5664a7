/** Stores reference rates by the date of their fixing. */
import { orUnavailable, withinBudget } from '@offer-ads/platform/mongo/mongo-faults';
import type { Connection } from 'mongoose';
import type { ReferenceRates } from '../domain/rates/exchange-rate.ts';

export type RatesStore = {
  /** The newest fixings, newest first. */
  readonly newest: (most: number) => Promise<readonly ReferenceRates[]>;
  /** Replaces the stored rates of that date: the central bank may correct itself. */
  readonly save: (rates: ReferenceRates, fetchedAt: Date) => Promise<void>;
  /** Deletes every fixing after this date. */
  readonly withdrawAfter: (date: string) => Promise<void>;
};

type RatesDocument = {
  /** The date, `YYYY-MM-DD`. */
  _id: string;
  /** A string of digits, because a number would be returned as floating point. */
  perEuroE8: Record<string, string>;
  fetchedAt: Date;
};

export function openRatesStore(connection: Connection): RatesStore {
  const rates = connection.collection<RatesDocument>('rates');
  return {
    newest: async (most) => {
      const newestFirst = { ...withinBudget(), sort: { _id: -1 }, limit: most } as const;
      const stored = await orUnavailable(rates.find({}, newestFirst).toArray());
      return stored.map(({ _id: date, perEuroE8 }) => ({ date, perEuroE8: fromDigits(perEuroE8) }));
    },
    save: async ({ date, perEuroE8 }, fetchedAt) => {
      const replacement = { perEuroE8: toDigits(perEuroE8), fetchedAt };
      await orUnavailable(rates.replaceOne({ _id: date }, replacement, { upsert: true }));
    },
    withdrawAfter: async (date) => {
      await orUnavailable(rates.deleteMany({ _id: { $gt: date } }));
    },
  };
}

function toDigits(rates: ReadonlyMap<string, bigint>): Record<string, string> {
  return Object.fromEntries([...rates].map(([code, rateE8]) => [code, rateE8.toString()]));
}

function fromDigits(rates: Readonly<Record<string, string>>): ReadonlyMap<string, bigint> {
  return new Map(Object.entries(rates).map(([code, digits]) => [code, BigInt(digits)]));
}
