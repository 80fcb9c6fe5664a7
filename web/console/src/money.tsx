import { amountText } from '@offer-ads/contracts/values/amount-text';

/** As the advertiser sees it. */
export function Money({
  minor,
  currency,
}: {
  readonly minor: string | null;
  readonly currency: string | null;
}) {
  if (minor === null || currency === null) return <>unknown</>;
  return <>{amountText(BigInt(minor), currency, 'GB')}</>;
}
