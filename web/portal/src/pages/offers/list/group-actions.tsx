/** The commands for all offers of a group: pay, edit, pause, resume, delete. */
import type { PortalOffer } from '@offer-ads/contracts/portal/offers-api';
import type { GroupChangeReply } from '@offer-ads/contracts/public/groups-api';
import { actionsOf } from '@offer-ads/contracts/values/offer-actions';
import { useState } from 'preact/hooks';
import { BusyButton } from '../../../../../ui/busy-button.tsx';
import { Confirm } from '../../../../../ui/confirm.tsx';
import { usePortal } from '../../../session.ts';
import { useOffersChanged } from '../offers-data.ts';
import { quoted } from '../quoted.ts';
import type { BulkDone } from './bulk-bar.tsx';
import { offersFor, outcomeOf } from './selection.ts';

type GroupActionsProps = {
  readonly groupId: number;
  readonly offers: readonly PortalOffer[];
  readonly done: (done: BulkDone) => void;
};

const words = { pause: 'Pause all', resume: 'Resume all' } as const;
/** Up to 20 commands, each as long as one alone at worst. */
const TIMEOUT_MS = 30_000;

export function GroupActions({ groupId, offers, done }: GroupActionsProps) {
  const { api, at, mode, may } = usePortal();
  const changed = useOffersChanged();
  const [deleting, setDeleting] = useState(false);
  const title = offers[0]?.title ?? '';
  const left = offers.filter(({ deleted_datetime: at }) => at === null);
  const url = left.find(({ payment_url }) => payment_url !== null)?.payment_url ?? null;
  const isPaid = url === null;

  const change = async (action: BulkDone['action']) => {
    const [method, path] =
      action === 'delete' ? (['DELETE', ''] as const) : (['POST', `/${action}`] as const);
    const reply = await api.send<GroupChangeReply>(method, `/${mode}/offer-groups/${groupId}${path}`, {
      timeoutMs: TIMEOUT_MS,
    });
    await changed();
    if (!reply.ok && action === 'delete') return reply;
    const outcome = reply.ok ? outcomeOf(offers, reply.body.results) : { done: 0, failed: [] };
    done({ ...outcome, id: crypto.randomUUID(), action, refusal: reply.ok ? null : reply.message });
    return undefined;
  };

  if (!may('offers') || left.length === 0) return null;
  return (
    <div class="row actions">
      {url !== null && (
        <a class="button" href={url} target="_blank" rel="noreferrer" aria-label={`Pay for ${title}`}>
          Pay
        </a>
      )}
      {left.some(({ offer_status: status }) => actionsOf(status).includes('edit')) && (
        <a class="button quiet" href={at(`offers/groups/${groupId}/edit`)} aria-label={`Edit all: ${title}`}>
          Edit all
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
          <p>
            Members never see them again, and this cannot be undone.{' '}
            {isPaid
              ? `The time in which they did not run is credited to the ${mode.toUpperCase()} balance.`
              : 'They are not paid: nothing is credited, and the payment page is closed.'}
          </p>
        </Confirm>
      )}
    </div>
  );
}
