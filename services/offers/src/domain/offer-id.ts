/** Ids as they come from outside: of offers, categories and interests. */

/** Ids are four-byte integers in the store; a larger number names nothing. */
const GREATEST_ID = 2 ** 31 - 1;

export function isOfferId(number: number): boolean {
  return Number.isInteger(number) && number >= 1 && number <= GREATEST_ID;
}

/**
 * As JSON and paths write a positive integer: no sign, no leading zero, no digits of other scripts. Undefined names nothing,
 * which for an offer is the same as one that is not the caller's (decision 20, offers not found).
 */
export function parseId(text: string): number | undefined {
  const number = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0;
  return isOfferId(number) ? number : undefined;
}
