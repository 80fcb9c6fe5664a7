/**
 * What a quote says: `base64url(json).base64url(mac)`. Only pricing can tell whether it is genuine, and refuses a creation with another.
 * Who reads it without that check may show its price before the creation, and must then create with this very text.
 */
import { z } from 'zod';

const text = z.string();
const scaled = z.string().regex(/^\d+$/).transform(BigInt);

/** Holder, terms, price, and the time when it expires. */
export const quotePayload = z.tuple([
  z.tuple([z.int(), z.enum(['TEST', 'LIVE']), text]),
  z.tuple([text, text, text, text, text, text]),
  z.tuple([z.int(), scaled, scaled, scaled, scaled, text.nullable()]),
  z.int(),
]);

/** @returns null for what is no quote of this release */
export function quotePayloadIn(quoteId: string): z.output<typeof quotePayload> | null {
  const [written = ''] = quoteId.split('.', 1);
  try {
    const parsed = quotePayload.safeParse(JSON.parse(Buffer.from(written, 'base64url').toString()));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** What a buyer wants to know of it. */
export function termsOfQuote(quoteId: string): {
  readonly costMinor: bigint;
  readonly currency: string;
  readonly startAt: string;
  readonly endAt: string;
} | null {
  const payload = quotePayloadIn(quoteId);
  if (payload === null) return null;
  const [[, , currency], [startAt, endAt], [, , costMinor]] = payload;
  return { costMinor, currency, startAt, endAt };
}
