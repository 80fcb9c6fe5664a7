/** Quotes: prices of estimates that hold for five minutes (decision 215, quotes). */
import type { CallerContext } from '@offer-ads/contracts/internal/caller-context';
import { type QuotedField, quotedFields } from '@offer-ads/contracts/internal/pricing-api';
import { memberGenders } from '@offer-ads/contracts/values/member-gender';
import type { EstimateForm } from './estimate-form.ts';
import type { Price } from './price.ts';

/** Long enough to read the price and to send the form, too short to wait for a better price. */
export const QUOTE_VALID_MS = 5 * 60_000;

/** Each value that a quote is for, as a text. Two ways to write one value have the same text. */
export type QuotedTerms = Readonly<Record<QuotedField, string>>;

/** Who may use a quote. The currency is part of the price. */
export type QuoteHolder = Pick<CallerContext, 'organisationId' | 'mode' | 'currency'>;

export type QuotedPrice = Price & { readonly money: NonNullable<Price['money']> };

export type Quote = {
  readonly holder: QuoteHolder;
  readonly terms: QuotedTerms;
  readonly price: QuotedPrice;
  readonly expiresAt: Date;
};

export type QuoteRefusal =
  | { readonly reason: 'foreign' | 'expired' }
  | { readonly reason: 'differs'; readonly fields: QuotedField[] };

export function termsOf({ target, startAt, endAt }: EstimateForm): QuotedTerms {
  const { latitude, longitude, radiusMiles, gender, interests } = target;
  const genders = new Set(gender);
  return {
    startAt: startAt.toISOString(),
    endAt: endAt.toISOString(),
    // 180 degrees east and west are the same meridian, and JSON writes 0 and -0 alike.
    location: JSON.stringify([latitude, longitude === -180 ? 180 : longitude]),
    radiusMiles: String(radiusMiles),
    gender: genders.size === memberGenders.length ? '' : [...genders].toSorted().join(),
    interests: [...new Set(interests)].toSorted((a, b) => a - b).join(),
  };
}

/** @returns null if there is no price to hold: the currency cannot be billed, or nobody matches */
export function quoteFor(
  { money, ...price }: Price,
  o: { readonly holder: QuoteHolder; readonly terms: QuotedTerms; readonly now: Date },
): Quote | null {
  if (money === null || price.matchingUsers === 0) return null;
  const { holder, terms, now } = o;
  return {
    holder,
    terms,
    price: { ...price, money },
    expiresAt: new Date(now.getTime() + QUOTE_VALID_MS),
  };
}

/**
 * @param receivedAt when the creation arrived (decision 8, time of a request)
 * @returns null if the quote's price holds
 */
export function refusalOfQuote(
  { holder, terms, expiresAt }: Quote,
  asked: { readonly holder: QuoteHolder; readonly terms: QuotedTerms; readonly receivedAt: Date },
): QuoteRefusal | null {
  const isHolder =
    holder.organisationId === asked.holder.organisationId &&
    holder.mode === asked.holder.mode &&
    holder.currency === asked.holder.currency;
  if (!isHolder) return { reason: 'foreign' };
  if (asked.receivedAt >= expiresAt) return { reason: 'expired' };
  const fields = quotedFields.filter((field) => terms[field] !== asked.terms[field]);
  return fields.length === 0 ? null : { reason: 'differs', fields };
}
