/** The buttons to pay, pause, resume and delete, for the list and for the offer's page. None for those who may only view offers. */
import type { PortalOffer } from '@offer-ads/contracts/portal/offers-api';
import { actionsOf } from '@offer-ads/contracts/values/offer-actions';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { BusyButton } from '../../../../ui/busy-button.tsx';
import type { Report } from '../../../../ui/outcome.tsx';
import { usePortal } from '../../session.ts';
import { useOffersChanged } from './offers-data.ts';
import { DeleteOffer } from './one/delete-offer.tsx';
import { nameOf, quotedOffer } from './quoted.ts';
import { isWithheld } from './standing.ts';

type OfferActionsProps = {
  readonly offer: PortalOffer;
  readonly report: Report;
  /** More buttons, before these. */
  readonly children?: ComponentChildren;
};

const words = { pause: 'Pause', resume: 'Resume' } as const;
const past = { pause: 'is paused', resume: 'runs again' } as const;

export function OfferActions({ offer, report, children }: OfferActionsProps) {
  const { api, mode, may } = usePortal();
  const changed = useOffersChanged();
  const [deleting, setDeleting] = useState(false);
  const actions = actionsOf(offer.offer_status);
  const name = nameOf(offer);
  // Members do not see an offer that the platform has disabled, whether it is paused or not.
  const switches = isWithheld(offer) ? [] : (['pause', 'resume'] as const);

  const change = async (action: 'pause' | 'resume') => {
    const reply = await api.send('POST', `/${mode}/offers/${offer.offer_id}/${action}`);
    // A refusal also shows that the offer on the page is out of date.
    await changed();
    report(reply.ok, `${quotedOffer(offer)}${reply.ok ? ` ${past[action]}.` : `: ${reply.message}`}`);
  };

  if (!may('offers')) return null;
  return (
    // In a row of a list they stay in one line; with more of them they wrap.
    <div class={children === undefined ? 'row actions' : 'row'}>
      {children}
      {/* The row of a group has the button for all of it. */}
      {offer.payment_url !== null && (children !== undefined || offer.group_id === null) && (
        <a
          class="button"
          href={offer.payment_url}
          target="_blank"
          rel="noreferrer"
          aria-label={`Pay for ${name}`}
        >
          Pay
        </a>
      )}
      {switches
        .filter((action) => actions.includes(action))
        .map((action) => (
          <BusyButton
            key={action}
            class="quiet"
            aria-label={`${words[action]} ${name}`}
            work={() => change(action)}
          >
            {words[action]}
          </BusyButton>
        ))}
      {actions.includes('delete') && (
        <button type="button" class="danger" aria-label={`Delete ${name}`} onClick={() => setDeleting(true)}>
          Delete
        </button>
      )}
      {deleting && (
        <DeleteOffer
          offer={offer}
          close={() => setDeleting(false)}
          deleted={(text) => {
            setDeleting(false);
            report(true, text);
          }}
        />
      )}
    </div>
  );
}
