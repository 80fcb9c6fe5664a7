/** Finds out the outcome of an offer that was sent before a reload and whose reply was lost. */
import type { CreationReply } from '@offer-ads/contracts/portal/offers-api';
import { BusyButton } from '../../../../../../ui/busy-button.tsx';
import { momentText } from '../../../../../../ui/time-text.ts';
import type { Attempt } from '../../../../attempts/attempt.ts';
import { usePortal, useRead } from '../../../../session.ts';
import { pageOf } from '../../groups.ts';
import { quoted } from '../../quoted.ts';

/** Interval while the creation is in progress; the service ends an abandoned one within two minutes. */
const LOOK_AGAIN_MS = 3_000;

export type LostOffer = {
  /** `open`: not known yet, so no other offer is sent meanwhile. */
  readonly state: 'open' | 'created' | 'none';
  /** The page of what was created. */
  readonly page: string;
  /** Why the outcome cannot be found out at the moment. */
  readonly problem: string | null;
  readonly lookAgain: () => Promise<unknown>;
};

export function useLostOffer(attempt: Attempt | null): LostOffer {
  const { mode, scope } = usePortal();
  const path = `/${mode}/creations/${encodeURIComponent(attempt?.key ?? '')}`;
  const query = useRead<CreationReply>([...scope, 'creation', attempt?.key, attempt?.sentAt], path, {
    enabled: attempt !== null,
    staleTime: 0,
    gcTime: 0,
    refetchInterval: ({ state }) => (state.data?.state === 'under_way' ? LOOK_AGAIN_MS : false),
  });
  const known = query.data?.state ?? 'under_way';
  return {
    state: known === 'under_way' ? 'open' : known,
    page: pageOf({ groupId: query.data?.group_id ?? null, offerId: query.data?.offer_id ?? 0 }),
    problem: query.isError ? query.error.message : null,
    lookAgain: query.refetch,
  };
}

type LostOfferNoticeProps = {
  readonly attempt: Attempt;
  readonly lost: LostOffer;
  /** Called when the draft is no longer needed. */
  readonly done: () => void;
  readonly forget: () => void;
};

const looks = { open: 'warning', created: 'good', none: '' } as const;

export function LostOfferNotice({ attempt, lost, done, forget }: LostOfferNoticeProps) {
  const { at } = usePortal();
  const { what, sentAt } = attempt;
  const sent = `You sent the offer ${quoted(what)} on ${momentText(sentAt)}`;
  return (
    <div class={`notice ${looks[lost.state]}`} role="alert">
      {lost.state === 'open' && (
        <p>
          {sent}, but no answer came. {lost.problem ?? 'We are checking whether the offer was created …'}
        </p>
      )}
      {lost.state === 'open' && lost.problem !== null && (
        <div>
          <BusyButton class="quiet" work={lost.lookAgain}>
            Check again
          </BusyButton>
        </div>
      )}
      {lost.state === 'created' && (
        <>
          <p>{sent}. It was created, but the answer did not arrive.</p>
          <div class="row">
            <a class="button" href={at(lost.page)} onClick={done}>
              Go to the offer
            </a>
            <button type="button" class="quiet" onClick={done}>
              Write another offer
            </button>
          </div>
        </>
      )}
      {lost.state === 'none' && (
        <>
          <p>
            {sent}. It was not created, and nothing was charged. You can send it again: it is never created
            twice.
          </p>
          <div>
            <button type="button" class="quiet" onClick={forget}>
              OK
            </button>
          </div>
        </>
      )}
    </div>
  );
}
