/** What creations are answered with, and what they leave behind. */

import { expect } from '@jest/globals';
import { create, type Parts } from '../forms.ts';
import type { OffersUnderTest } from '../offers-under-test.ts';

/** The whole body (decision 19, bodies of refusals); a text is the whole message. */
export function refusal(code: string, status: number, message: string | RegExp) {
  const words = typeof message === 'string' ? message : expect.stringMatching(message);
  return { status, body: { return_code: code, status: 'Error', code: status, message: words } };
}

export const termsNotAccepted =
  'The organisation has not accepted the current advertising terms. An organisation admin must accept them in the advertiser portal, then this request can be retried with the same Idempotency-Key';
export const tooLow = "The balance is below the offer's cost of 10.00 GBP";
export const atLeast = (amount: string) => `A card payment must be at least ${amount}`;
export const notBilled = (currency: string) =>
  `The billing currency ${currency} cannot be billed at present. You were not charged`;

/** Nothing is left of what an earlier test has created. */
export async function startAfresh(under: OffersUnderTest): Promise<void> {
  under.otherServices.reset();
  await under.postgres.query('DELETE FROM idempotency_keys');
  await under.postgres.query('DELETE FROM offers');
  await under.clearEvents();
}

type Traces = Record<'offers' | 'keys' | 'charges' | 'events', number>;

export async function tracesIn(under: OffersUnderTest): Promise<Traces> {
  return {
    offers: (await under.postgres.query('SELECT 1 FROM offers')).length,
    keys: (await under.postgres.query('SELECT 1 FROM idempotency_keys')).length,
    charges: under.otherServices.billing.charges(),
    events: (await under.events()).length,
  };
}
export const none: Traces = { offers: 0, keys: 0, charges: 0, events: 0 };

/** A creation and what is left of it. */
export async function attemptIn(under: OffersUnderTest, parts?: Parts, o?: Parameters<typeof create>[2]) {
  const { status, body } = await create(under, parts, o);
  return { status, body, left: await tracesIn(under) };
}

export function nothingBut(code: string, status: number, message: string | RegExp) {
  return { ...refusal(code, status, message), left: none };
}
