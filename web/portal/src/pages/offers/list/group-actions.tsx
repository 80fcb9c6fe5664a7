/** The commands for all offers of a group: pay, pause, resume, delete. */
import type { PortalOffer } from '@offer-ads/contracts/portal/offers-api';
import type { GroupChangeReply } from '@offer-ads/contracts/public/groups-api';
import { actionsOf } from '@offer-ads/contracts/values/offer-actions';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { BusyButton } from '../../../../../ui/busy-button.tsx';
import { Confirm } from '../../../../../ui/confirm.tsx';
import type { Report } from '../../../../../ui/outcome.tsx';
import { usePortal } from '../../../session.ts';
import { Credit } from '../credit.tsx';
import { useCredits, useOffersChanged } from '../offers-data.ts';
import { quoted } from '../quoted.ts';
import { BulkResult } from './bulk-bar.tsx';
import { type BulkAction, offersFor, outcomeOf } from './selection.ts';

type GroupActionsProps = {
  readonly groupId: number;
  readonly offers: readonly PortalOffer[];
  readonly report: Report;
  /** More buttons, before these. */
  readonly children?: ComponentChildren;
};

const words = { pause: 'Pause all', resume: 'Resume all' } as const;
/** Up to 20 commands, each as long as one alone at worst. */
const TIMEOUT_MS = 30_000;

export function GroupActions({ groupId, offers, report, children }: GroupActionsProps) {
  const { api, mode, may } = usePortal();
  const changed = useOffersChanged();
  const [deleting, setDeleting] = useState(false);
  const title = offers[0]?.title ?? '';
  const left = offers.filter(({ deleted_datetime: at }) => at === null);
  const url = left.find(({ payment_url }) => payment_url !== null)?.payment_url ?? null;

  const change = async (action: BulkAction | 'delete') => {
    const [method, path] =
      action === 'delete' ? (['DELETE', ''] as const) : (['POST', `/${action}`] as const);
    const reply = await api.send<GroupChangeReply>(method, `/${mode}/offer-groups/${groupId}${path}`, {
      timeoutMs: TIMEOUT_MS,
    });
    await changed();
    if (!reply.ok && action === 'delete') return reply;
    // One that was paused before is no failure of "Pause all".
    const asked = action === 'delete' ? left : offersFor(left, action);
    const isAsked = (id: number) => asked.some(({ offer_id: other }) => other === id);
    const results = reply.ok
      ? reply.body.results.filter(({ done: isDone, offer_id: id }) => isDone || isAsked(id))
      : [];
    const outcome = outcomeOf(offers, results);
    report(
      reply.ok && outcome.failed.length === 0,
      <BulkResult {...outcome} action={action} refusal={reply.ok ? null : reply.message} />,
    );
    return undefined;
  };

  if (!may('offers') || left.length === 0) return null;
  return (
    <div class={children === undefined ? 'row actions' : 'row'}>
      {children}
      {url !== null && (
        <a class="button" href={url} target="_blank" rel="noreferrer" aria-label={`Pay for ${title}`}>
          Pay
        </a>
      )}
      {(['pause', 'resume'] as const)
        .filter((action) => offersFor(left, action).length > 0)
        .map((action) => (
          <BusyButton
            key={action}
            class="quiet"
            aria-label={`${words[action]}: ${title}`}
            work={() => change(action)}
          >
            {words[action]}
          </BusyButton>
        ))}
      {left.every(({ offer_status: status }) => actionsOf(status).includes('delete')) && (
        <button
          type="button"
          class="danger"
          aria-label={`Delete all: ${title}`}
          onClick={() => setDeleting(true)}
        >
          Delete all
        </button>
      )}
      {deleting && (
        <Confirm
          title={`Delete ${quoted(title)} at ${left.length === 1 ? 'its last place' : `all ${left.length} places`}?`}
          submit="Delete the offers"
          act={async () => {
            const refusal = await change('delete');
            if (refusal === undefined) setDeleting(false);
            return refusal;
          }}
          close={() => setDeleting(false)}
        >
          <p>Members never see them again, and this cannot be undone.</p>
          <CreditOf offers={left} />
        </Confirm>
      )}
    </div>
  );
}

function CreditOf({ offers }: { readonly offers: readonly PortalOffer[] }) {
  return <Credit of={useCredits(offers.map(({ offer_id: id }) => id))} />;
}
