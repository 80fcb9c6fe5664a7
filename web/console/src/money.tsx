import { formatMinor } from '@offer-ads/contracts/values/currencies';

export function Money({
  minor,
  currency,
}: {
  readonly minor: string | null;
  readonly currency: string | null;
}) {
  if (minor === null || currency === null) return <>unknown</>;
  return (
    <>
      {formatMinor(BigInt(minor), currency)} {currency}
    </>
  );
}
