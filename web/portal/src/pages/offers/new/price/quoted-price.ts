/** Whether an offer may be sent with the quote that was asked for when the person pressed the button. */
import { minorOf } from '../../../../amounts/amount-fields.ts';
import type { Estimated } from './first-estimate.ts';
import { type Placed, placeRefusal } from './place-refusal.ts';

/** The id is undefined for several places, which have no quotes. */
export type UsableQuote = { readonly outcome: 'send'; readonly quoteId: string | undefined };

export type QuoteDecision =
  | UsableQuote
  /** The page shows the new price; the person decides again. */
  | { readonly outcome: 'show-price'; readonly costMinor: bigint }
  /** There is no price, and the service would refuse the offer; or the price is above the budget, and the code is null. */
  | { readonly outcome: 'refuse'; readonly code: 'E5' | 'E6' | null; readonly placed: Placed };

/**
 * An offer never costs more than the price that was shown. It may cost a little less: an offer that starts now and ends at a fixed time is
 * shorter by the time for which the page was read.
 * @param shownMinor null if no price was shown
 * @param budgetFault of an offer with this price
 */
export function decideOnQuote(
  shownMinor: bigint | null,
  quoted: Estimated,
  budgetFault: (costMinor: bigint) => string | undefined = () => undefined,
): QuoteDecision {
  const { estimated_cost: cost, currency, matching_users: members, quote_id: quoteId } = quoted;
  const costMinor = cost === null ? undefined : minorOf(cost, currency);
  if (costMinor === undefined) {
    const message = `The billing currency ${currency} cannot be billed at present. You were not charged.`;
    return { outcome: 'refuse', code: 'E6', placed: placeRefusal('E6', message) };
  }
  const empty = quoted.places?.some((place) => place.matching_users === 0) ?? members === 0;
  if (empty) return { outcome: 'refuse', code: 'E5', placed: placeRefusal('E5', '') };
  const budget = budgetFault(costMinor);
  if (budget !== undefined)
    return { outcome: 'refuse', code: null, placed: { faults: { budget }, rest: null } };
  return shownMinor !== null && costMinor <= shownMinor
    ? { outcome: 'send', quoteId: quoteId ?? undefined }
    : { outcome: 'show-price', costMinor };
}
