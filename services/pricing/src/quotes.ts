/**
 * Gives quotes and reads them back. A quote is a signed text, so no replica has to remember it. It shows nothing that its estimate did
 * not show.
 */
import { createHash } from 'node:crypto';
import { type quotePayload, quotePayloadIn } from '@offer-ads/contracts/values/quote-text';
import type { Refused } from '@offer-ads/contracts/values/refused';
import { createSeal } from '@offer-ads/platform/config/secrets';
import type { z } from 'zod';
import type { EstimateForm } from './domain/estimate-form.ts';
import type { Price } from './domain/price.ts';
import {
  type Quote,
  type QuotedPrice,
  type QuotedTerms,
  type QuoteHolder,
  type QuoteRefusal,
  quoteFor,
  refusalOfQuote,
  termsOf,
} from './domain/quote.ts';

export type GivenQuote = { readonly quoteId: string; readonly expiresAt: Date };

export type Quotes = {
  /** @returns null if there is no price to hold */
  readonly give: (o: {
    readonly form: EstimateForm;
    readonly price: Price;
    readonly holder: QuoteHolder;
    readonly now: Date;
  }) => GivenQuote | null;
  /** The price of a quote, for the creation of an offer. */
  readonly redeem: (o: {
    readonly quoteId: string;
    readonly form: EstimateForm;
    readonly holder: QuoteHolder;
    readonly receivedAt: Date;
  }) =>
    | { readonly ok: true; readonly price: QuotedPrice }
    /** `unknown`: not a quote of ours, or of a release that wrote other fields. */
    | Refused<QuoteRefusal | { readonly reason: 'unknown' }>;
};

/**
 * Contracts say how a quote is written (`quote-text.ts`). The caller context has the same secret. The purpose is signed too, so neither
 * can stand for the other.
 * @param secret may contain several secrets while it is replaced: the first signs, all are accepted
 */
export function openQuotes(secret: string): Quotes {
  const seal = createSeal(secret);
  const read = (quoteId: string): Quote | null => {
    const dot = quoteId.indexOf('.');
    const written = quoteId.slice(0, Math.max(0, dot));
    if (!seal.isGenuine(`quote\n${written}`, quoteId.slice(dot + 1))) return null;
    const payload = quotePayloadIn(quoteId);
    return payload === null ? null : quoteIn(payload);
  };
  return {
    give: ({ form, price, holder, now }) => {
      const quote = quoteFor(price, { holder, terms: shortTermsOf(form), now });
      if (quote === null) return null;
      const written = Buffer.from(JSON.stringify(payloadOf(quote))).toString('base64url');
      return { quoteId: `${written}.${seal.sign(`quote\n${written}`)}`, expiresAt: quote.expiresAt };
    },
    redeem: ({ quoteId, form, holder, receivedAt }) => {
      const quote = read(quoteId);
      if (quote === null) return { ok: false, reason: 'unknown' };
      const refusal = refusalOfQuote(quote, { holder, terms: shortTermsOf(form), receivedAt });
      return refusal === null ? { ok: true, price: quote.price } : { ok: false, ...refusal };
    },
  };
}

/** With a hash of the interests, so that hundreds of them do not lengthen the quote. */
function shortTermsOf(form: EstimateForm): QuotedTerms {
  const terms = termsOf(form);
  return { ...terms, interests: createHash('sha256').update(terms.interests).digest('base64url') };
}

function payloadOf({ holder, terms, price, expiresAt }: Quote): z.input<typeof quotePayload> {
  const { costMinor, adUnitPriceE8, exchangeRate } = price.money;
  return [
    [holder.organisationId, holder.mode, holder.currency],
    [terms.startAt, terms.endAt, terms.location, terms.radiusMiles, terms.gender, terms.interests],
    [
      price.matchingUsers,
      price.adUnitsHundredths.toString(),
      costMinor.toString(),
      adUnitPriceE8.toString(),
      exchangeRate.perGbpE6.toString(),
      exchangeRate.date,
    ],
    expiresAt.getTime(),
  ];
}

function quoteIn([holder, terms, price, expiresAtMs]: z.output<typeof quotePayload>): Quote {
  const [organisationId, mode, currency] = holder;
  const [startAt, endAt, location, radiusMiles, gender, interests] = terms;
  const [matchingUsers, adUnitsHundredths, costMinor, adUnitPriceE8, perGbpE6, date] = price;
  const exchangeRate = { perGbpE6, date };
  return {
    holder: { organisationId, mode, currency },
    terms: { startAt, endAt, location, radiusMiles, gender, interests },
    price: { matchingUsers, adUnitsHundredths, money: { costMinor, adUnitPriceE8, exchangeRate } },
    expiresAt: new Date(expiresAtMs),
  };
}
