/**
 * Credits of Unused Time are cumulative (decision 6): events say how much of an offer went unused so
 * far, and what has not been credited yet of the part of the price that this is worth is credited now. Repeats and
 * any order are harmless. Nothing is credited of money that the card provider has taken back (decision 158, credits
 * of money that was kept).
 */
import { creditTarget, type UnusedTime } from '@offer-ads/contracts/values/unused-time';

type Price = { readonly netMinor: bigint; readonly vatMinor: bigint };

/** What Unused Time is worth after one more report: never less than before. */
export function earnedCredit(
  payment: { readonly netMinor: bigint; readonly earnedMinor: bigint },
  unusedTime: UnusedTime,
): bigint {
  return larger(payment.earnedMinor, creditTarget(payment.netMinor, unusedTime));
}

/** What is still to be credited; 0 while more was credited than the payment is worth. */
export function creditDue(
  payment: Price & { readonly creditedMinor: bigint; readonly earnedMinor: bigint },
  takenBackMinor: bigint,
): bigint {
  return larger(0n, smaller(payment.earnedMinor, keptNet(payment, takenBackMinor)) - payment.creditedMinor);
}

/**
 * What was credited although the card provider has taken the money back: owed until a person has decided who bears it.
 * @param takenBack gross; `undecided` is the part of `inAllMinor` that nobody has decided about
 */
export function creditOwed(
  payment: Price & { readonly creditedMinor: bigint },
  takenBack: { readonly inAllMinor: bigint; readonly undecidedMinor: bigint },
): bigint {
  const beyondKept = larger(0n, payment.creditedMinor - keptNet(payment, takenBack.inAllMinor));
  return smaller(beyondKept, payment.netMinor - keptNet(payment, takenBack.undecidedMinor));
}

/** The price without VAT, less the same share of it as was taken back of the whole payment; rounded down, so never too much. */
function keptNet({ netMinor, vatMinor }: Price, takenBackMinor: bigint): bigint {
  const grossMinor = netMinor + vatMinor;
  if (takenBackMinor >= grossMinor) return takenBackMinor === 0n ? netMinor : 0n;
  return (netMinor * (grossMinor - takenBackMinor)) / grossMinor;
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}

function smaller(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
