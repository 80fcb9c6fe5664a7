/** Ids of offers as they come from outside. */

/** Ids are four-byte integers in the store; a larger number names no offer. */
const GREATEST_OFFER_ID = 2 ** 31 - 1;

export function isOfferId(number: number): boolean {
  return Number.isInteger(number) && number >= 1 && number <= GREATEST_OFFER_ID;
}

/** The `{offer_id}` of a path; undefined names no offer, which is the same as one that is not the caller's (decision 20). */
export function parseOfferId(text: string): number | undefined {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  return isOfferId(number) ? number : undefined;
}
