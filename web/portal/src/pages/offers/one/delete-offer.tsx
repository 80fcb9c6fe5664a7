/** Asks before an offer is deleted, with what its deletion credits at this moment; afterwards it says what was credited. */
import type { StatementReply } from '@offer-ads/contracts/internal/billing-api';
import type { OfferCreditReply, PortalOffer } from '@offer-ads/contracts/portal/offers-api';
import { Refused } from '../../../../../ui/call.ts';
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
    // Of a lost answer, or of one that came too late, the offer itself tells.
    if (!reply.ok && !(await isGone())) {
      void changed();
      return reply;
    }
    const promised = credit.data?.credit_minor ?? null;
    const real = promised === '0' ? null : await credited();
    deleted(`${quoted(offer.title)} is deleted. ${creditSentence(real, promised)}`.trim());
    // Only now: until then the page would ask for an offer that is no more.
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
      return `${amount(real, offer.currency)} were credited to the ${mode.toUpperCase()} balance.`;
    if (promised === '0') return '';
    return `What is left of its price is on its way to the ${mode.toUpperCase()} balance.`;
  };

  return (
    <Confirm title={`Delete ${quoted(offer.title)}?`} submit="Delete the offer" act={remove} close={close}>
      <p>It is never shown or listed again. This cannot be undone.</p>
      <div class="credit" aria-live="polite">
        {credit.isPending && <p class="muted">Asking what is credited …</p>}
        {credit.isError && <p>What would be credited cannot be said at the moment: {credit.error.message}</p>}
        {credit.isSuccess && <Credit credit={credit.data} />}
      </div>
    </Confirm>
  );
}

function Credit({ credit }: { readonly credit: OfferCreditReply }) {
  const { mode } = usePortal();
  const amount = useAmounts();
  if (credit.offer_status === 'Awaiting Payment')
    return <p>It was not paid for: nothing is credited, and its payment page is closed.</p>;
  if (credit.offer_status === 'Ended') return <p>It has ended: nothing more is credited.</p>;
  return (
    <>
      <p class="figure">{amount(credit.credit_minor, credit.currency)}</p>
      <p>
        of its {amount(credit.cost_minor, credit.currency)} would be credited to the {mode.toUpperCase()}{' '}
        balance, for the time in which it did not run
        {credit.offer_status === 'Active' && ', and a little less with every second'}.
      </p>
      <p class="muted small">
        As of <When at={credit.as_of_datetime} precision="second" />, net of VAT. Never to a card.
      </p>
    </>
  );
}

/** The credit follows the deletion as an event: the statement has it a moment later. Null when it has not, or is not to be seen. */
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
