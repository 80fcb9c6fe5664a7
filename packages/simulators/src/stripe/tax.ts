/** The tax on an amount, as Stripe computes it for each line and rate: rounded half up to a minor unit. */
import type { Stripe } from 'stripe';

/** Percentages have up to four decimals. */
const percentScale = 10_000n;

export function taxMinor(
  rate: Pick<Stripe.TaxRate, 'percentage' | 'inclusive'>,
  amountMinor: number,
): number {
  const percent = BigInt(Math.round(rate.percentage * Number(percentScale)));
  const whole = 100n * percentScale;
  const divisor = rate.inclusive ? whole + percent : whole;
  return Number((2n * BigInt(amountMinor) * percent + divisor) / (2n * divisor));
}
