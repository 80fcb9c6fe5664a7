/** The confirmation of a deletion with its current credit. Afterwards it shows what was credited. */
import type { OfferCreditReply, PortalOffer } from '@offer-ads/contracts/portal/offers-api';
import { Confirm } from '../../../../../ui/confirm.tsx';
import { When } from '../../../../../ui/when.tsx';
import { useAmounts } from '../../../amounts/amounts.ts';
import { usePortal } from '../../../session.ts';
import { useCredit, useOffersChanged } from '../offers-data.ts';
import { quotedOffer } from '../quoted.ts';

type DeleteOfferProps = {
  readonly offer: PortalOffer;
  readonly deleted: (text: string) => void;
  readonly close: () => void;
};

export function DeleteOffer({ offer, deleted, close }: DeleteOfferProps) {
  const { api, mode } = usePortal();
  const credit = useCredit(offer.offer_id);
  const changed = useOffersChanged();
  const amount = useAmounts();

  const remove = async () => {
    const reply = await api.send('DELETE', `/${mode}/offers/${offer.offer_id}`);
    const now = await api.read<PortalOffer>(`/${mode}/offers/${offer.offer_id}`).catch(() => null);
    void changed();
    // If the answer was lost or too late, the offer says whether it was deleted.
    if (!reply.ok && (now === null || now.deleted_datetime === null)) return reply;
    deleted(`${quotedOffer(offer)} is deleted. ${creditSentence(creditOf(now))}`.trim());
    return undefined;
  };
  /** Without what was credited before: the statement has that apart. Null: not known. */
  const creditOf = (now: PortalOffer | null) =>
    now === null || now.credited_minor === null || credit.data === undefined
      ? null
      : BigInt(now.credited_minor) - BigInt(credit.data.credited_minor);
  const creditSentence = (creditedMinor: bigint | null) => {
    if (creditedMinor === 0n) return '';
    const balance = `${mode.toUpperCase()} balance`;
    return creditedMinor === null
      ? `The unused part of its price is credited to the ${balance}.`
      : `${amount(creditedMinor, offer.currency)} is credited to the ${balance}.`;
  };

  return (
    <Confirm title={`Delete ${quotedOffer(offer)}?`} submit="Delete the offer" act={remove} close={close}>
      <p>
        Members never see it again, and this cannot be undone. You can still read it among the deleted offers.
      </p>
      <div class="credit" aria-live="polite">
        {credit.isPending && <p class="muted">Loading the credit …</p>}
        {credit.isError && <p>The credit cannot be shown at the moment: {credit.error.message}</p>}
        {credit.isSuccess && <Credit credit={credit.data} isOfGroup={offer.group_id !== null} />}
      </div>
    </Confirm>
  );
}

function Credit({ credit, isOfGroup }: { readonly credit: OfferCreditReply; readonly isOfGroup: boolean }) {
  const { mode } = usePortal();
  const amount = useAmounts();
  if (credit.offer_status === 'Awaiting Payment')
    return (
      <p>
        The offer is not paid: nothing is credited, and its payment page is closed.
        {isOfGroup && ' It is deleted at all its places, because they are paid together.'}
      </p>
    );
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
        {credit.credited_minor !== '0' &&
          `${amount(credit.credited_minor, credit.currency)} was credited before. `}
        As of <When at={credit.as_of_datetime} precision="second" />, net of VAT. Credits are never paid to a
        card.
      </p>
    </>
  );
}
