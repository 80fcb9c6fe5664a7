/** Ids as callers send them: of offers, categories and interests. */
import { GREATEST_ID } from '@offer-ads/contracts/values/primitives';

export function isOfferId(number: number): boolean {
  return Number.isInteger(number) && number >= 1 && number <= GREATEST_ID;
}

/**
 * A positive integer as JSON and paths write it: no sign, no leading zero, no digits of other scripts. Undefined: the text is no id. An
 * offer id of that kind is answered like the id of another organisation's offer (decision 20, offers not found).
 */
export function parseId(text: string): number | undefined {
  const number = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0;
  return isOfferId(number) ? number : undefined;
}
