/** Asks for the reason, and disables an offer, of which the advertiser reads the reason, or enables it. */
import { type CloseWithMessage, ReasonDialog } from '../reason-dialog.tsx';

type OfferDialogProps = {
  readonly id: number;
  readonly close: CloseWithMessage;
};

export function DisableOffer({ id, close }: OfferDialogProps) {
  return (
    <ReasonDialog
      title={`Disable offer ${id}?`}
      submit="Disable it"
      ends
      advertiserReads
      act={(send) => send(`/offers/offers/${id}/disable`)}
      done={() => `Offer ${id} is disabled.`}
      close={close}
    >
      <p>
        Members no longer see it. The time until it is enabled again counts as unused, and is credited at the
        end.
      </p>
    </ReasonDialog>
  );
}

export function EnableOffer({ id, close }: OfferDialogProps) {
  return (
    <ReasonDialog
      title={`Enable offer ${id}?`}
      submit="Enable it"
      act={(send) => send(`/offers/offers/${id}/enable`)}
      done={() => `Offer ${id} is enabled.`}
      close={close}
    >
      <p>Members see it again, if it has neither ended nor been paused.</p>
    </ReasonDialog>
  );
}
