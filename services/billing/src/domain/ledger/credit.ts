/**
 * Credits of Unused Time are cumulative (decision 6, Unused Time). An event says how much of an offer is unused so far; the credit is what
 * that part of the price is worth, minus what was credited before. Repeated events and events in any order are therefore harmless. Money that
 * the card provider has taken back is not credited (decision 158, credits of money that was kept).
 */
import { creditTarget, type UnusedTime } from '@offer-ads/contracts/values/unused-time';

type Price = { readonly netMinor: bigint; readonly vatMinor: bigint };

/** What the Unused Time is worth after one more report. It never decreases. */
export function earnedCredit(
  payment: { readonly netMinor: bigint; readonly earnedMinor: bigint },
  unusedTime: UnusedTime,
): bigint {
  return larger(payment.earnedMinor, creditTarget(payment.netMinor, unusedTime));
}

/** What is still to be credited; 0 if more was credited than the payment is now worth. */
export function creditDue(
  payment: Price & { readonly creditedMinor: bigint; readonly earnedMinor: bigint },
  takenBackMinor: bigint,
): bigint {
  return larger(
    0n,
    smaller(payment.earnedMinor, retainedNet(payment, takenBackMinor)) - payment.creditedMinor,
  );
}

/**
 * The amount that was credited although the card provider has taken the money back. It is owed until a person decides who bears it.
 * @param takenBack with VAT; `undecidedMinor` is the part of `totalMinor` about which no decision exists yet
 */
export function creditOwed(
  payment: Price & { readonly creditedMinor: bigint },
  takenBack: { readonly totalMinor: bigint; readonly undecidedMinor: bigint },
): bigint {
  const beyondRetained = larger(0n, payment.creditedMinor - retainedNet(payment, takenBack.totalMinor));
  return smaller(beyondRetained, payment.netMinor - retainedNet(payment, takenBack.undecidedMinor));
}

/** The price without VAT, reduced by the share of the payment that was taken back; rounded down, so never too much. */
function retainedNet({ netMinor, vatMinor }: Price, takenBackMinor: bigint): bigint {
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
