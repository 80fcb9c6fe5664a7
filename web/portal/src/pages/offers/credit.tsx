/** What a deletion would credit now, of one offer or of several together. */
import type { OfferCreditReply } from '@offer-ads/contracts/portal/offers-api';
import { sum } from '@offer-ads/contracts/values/sum';
import { When } from '../../../../ui/when.tsx';
import { useAmounts } from '../../amounts/amounts.ts';
import { usePortal } from '../../session.ts';
import type { useCredits } from './offers-data.ts';

export function Credit({ of: credits }: { readonly of: ReturnType<typeof useCredits> }) {
  return (
    <div class="credit" aria-live="polite">
      {credits.isPending && <p class="muted">Loading the credit …</p>}
      {credits.isError && <p>The credit cannot be shown at the moment: {credits.error.message}</p>}
      {credits.isSuccess && <Known credits={credits.data} />}
    </div>
  );
}

function Known({ credits }: { readonly credits: readonly OfferCreditReply[] }) {
  const { mode } = usePortal();
  const amount = useAmounts();
  const [first] = credits;
  if (first === undefined) return null;
  const total = (of: 'credit_minor' | 'cost_minor' | 'credited_minor') =>
    sum(credits.map((credit) => BigInt(credit[of])));
  const text = (minor: bigint) => amount(minor, first.currency);
  const are = (status: OfferCreditReply['offer_status']) =>
    credits.every(({ offer_status: other }) => other === status);
  const [they, their, have] = credits.length === 1 ? ['It', 'its', 'has'] : ['They', 'their', 'have'];
  if (are('Awaiting Payment'))
    return (
      <p>
        {they} {have} not been paid for: nothing is credited, and the payment page is closed.
      </p>
    );
  if (are('Ended'))
    return (
      <p>
        {they} {have} ended: nothing more is credited.
      </p>
    );
  return (
    <>
      <p class="figure">{text(total('credit_minor'))}</p>
      <p>
        of {their} {text(total('cost_minor'))} would be credited to the {mode.toUpperCase()} balance, for the
        time in which {they.toLowerCase()} did not run
        {credits.some(({ offer_status: status }) => status === 'Active') &&
          '. The credit decreases every second'}
        .
      </p>
      <p class="muted small">
        {total('credited_minor') > 0n && `${text(total('credited_minor'))} was credited before. `}
        As of <When at={first.as_of_datetime} precision="second" />, without VAT. Credits are never paid to a
        card.
      </p>
    </>
  );
}
