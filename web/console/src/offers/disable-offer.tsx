/** Asks for the reason, and disables an offer, of which the advertiser reads the reason, or enables it. */
import { ReasonDialog } from '../reason-dialog.tsx';
import { useConsole } from '../session.ts';

type OfferDialogProps = {
  readonly id: number;
  readonly close: (done: boolean) => void;
};

export function DisableOffer({ id, close }: OfferDialogProps) {
  const { send } = useConsole();
  return (
    <ReasonDialog
      title={`Disable offer ${id}?`}
      submit="Disable it"
      ends
      hint="The advertiser reads it in a mail and in the portal: say what must change. The audit log has it with your name."
      act={({ reason, seenAt }) => send(`/offers/offers/${id}/disable`, { reason }, seenAt)}
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
  const { send } = useConsole();
  return (
    <ReasonDialog
      title={`Enable offer ${id}?`}
      submit="Enable it"
      act={({ reason, seenAt }) => send(`/offers/offers/${id}/enable`, { reason }, seenAt)}
      close={close}
    >
      <p>Members see it again, if it has neither ended nor been paused.</p>
    </ReasonDialog>
  );
}
