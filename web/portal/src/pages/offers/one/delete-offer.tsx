/** The confirmation of a deletion with its current credit. Afterwards it shows what was credited. */
import type { StatementReply } from '@offer-ads/contracts/internal/billing-api';
import type { OfferCreditReply, PortalOffer } from '@offer-ads/contracts/portal/offers-api';
import { Refused } from '../../../../../ui/calls/call.ts';
import { Confirm } from '../../../../../ui/confirm.tsx';
import { When } from '../../../../../ui/when.tsx';
import { useAmounts } from '../../../amounts.ts';
import { usePortal } from '../../../session.ts';
import { useCredit, useOffersChanged } from '../offers-data.ts';
import { quoted } from '../quoted.ts';

type DeleteOfferProps = {
  readonly offer: PortalOffer;
  readonly deleted: (text: string) => void;
  readonly close: () => void;
};

export function DeleteOffer({ offer, deleted, close }: DeleteOfferProps) {
  const { api, mode } = usePortal();
  const credit = useCredit(offer.offer_id);
  const changed = useOffersChanged();
  const credited = useCreditOf(offer.offer_id);
  const amount = useAmounts();

  const remove = async () => {
    const reply = await api.send('DELETE', `/${mode}/offers/${offer.offer_id}`);
    // If the answer was lost or too late, check whether the offer still exists.
    if (!reply.ok && !(await isGone())) {
      void changed();
      return reply;
    }
    const promised = credit.data?.credit_minor ?? null;
    const real = promised === '0' ? null : await credited();
    deleted(`${quoted(offer.title)} is deleted. ${creditSentence(real, promised)}`.trim());
    // Not earlier: the page would ask for an offer that no longer exists.
    void changed();
    return undefined;
  };
  const isGone = () =>
    api.read(`/${mode}/offers/${offer.offer_id}`).then(
      () => false,
      (error: unknown) => error instanceof Refused && error.refusal.status === 404,
    );
  const creditSentence = (real: string | null, promised: string | null) => {
    if (real !== null)
      return `${amount(real, offer.currency)} was credited to the ${mode.toUpperCase()} balance.`;
    if (promised === '0') return '';
    return `The unused part of its price will be credited to the ${mode.toUpperCase()} balance in a moment.`;
  };

  return (
    <Confirm title={`Delete ${quoted(offer.title)}?`} submit="Delete the offer" act={remove} close={close}>
      <p>It is never shown or listed again. This cannot be undone.</p>
      <div class="credit" aria-live="polite">
        {credit.isPending && <p class="muted">Loading the credit …</p>}
        {credit.isError && <p>The credit cannot be shown at the moment: {credit.error.message}</p>}
        {credit.isSuccess && <Credit credit={credit.data} />}
      </div>
    </Confirm>
  );
}

function Credit({ credit }: { readonly credit: OfferCreditReply }) {
  const { mode } = usePortal();
  const amount = useAmounts();
  if (credit.offer_status === 'Awaiting Payment')
    return <p>The offer is not paid: nothing is credited, and its payment page is closed.</p>;
  if (credit.offer_status === 'Ended') return <p>The offer has ended: nothing more is credited.</p>;
  return (
    <>
      <p class="figure">{amount(credit.credit_minor, credit.currency)}</p>
      <p>
        of its {amount(credit.cost_minor, credit.currency)} would be credited to the {mode.toUpperCase()}{' '}
        balance, for the time in which it did not run
        {credit.offer_status === 'Active' && '. The credit decreases every second'}.
      </p>
      <p class="muted small">
        As of <When at={credit.as_of_datetime} precision="second" />, net of VAT. Credits are never paid to a
        card.
      </p>
    </>
  );
}

/** Waits for the credit in the statement, where it appears a moment later. Null when it does not, or if the role may not see it. */
function useCreditOf(offerId: number): () => Promise<string | null> {
  const { api, mode, may } = usePortal();
  return async () => {
    if (!may('billing')) return null;
    for (let look = 0; look < 10; look += 1) {
      await new Promise((resolve) => setTimeout(resolve, 300));
      const page = await api.read<StatementReply>(`/${mode}/billing/statement?limit=20`).catch(() => null);
      const entry = page?.entries.find(
        (entry) => entry.offerId === offerId && entry.kind === 'unused-time-credit',
      );
      if (entry !== undefined) return entry.amountMinor;
    }
    return null;
  };
}
