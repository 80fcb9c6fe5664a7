/** The confirmation of a deletion with its current credit. Afterwards it shows what was credited. */
import type { PortalOffer } from '@offer-ads/contracts/portal/offers-api';
import { Confirm } from '../../../../../ui/confirm.tsx';
import { useAmounts } from '../../../amounts/amounts.ts';
import { usePortal } from '../../../session.ts';
import { Credit } from '../credit.tsx';
import { useCredits, useOffersChanged } from '../offers-data.ts';
import { quotedOffer } from '../quoted.ts';

type DeleteOfferProps = {
  readonly offer: PortalOffer;
  readonly deleted: (text: string) => void;
  readonly close: () => void;
};

export function DeleteOffer({ offer, deleted, close }: DeleteOfferProps) {
  const { api, mode } = usePortal();
  const credits = useCredits([offer.offer_id]);
  const credit = credits.data?.[0];
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
    now === null || now.credited_minor === null || credit === undefined
      ? null
      : BigInt(now.credited_minor) - BigInt(credit.credited_minor);
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
      <Credit of={credits} />
      {offer.group_id !== null && credit?.offer_status === 'Awaiting Payment' && (
        <p>It is deleted at all its places, because they are paid together.</p>
      )}
    </Confirm>
  );
}
