/** Pause, resume and delete, from a row of the list or from the offer's own page. */
import type { PortalOffer } from '@offer-ads/contracts/portal-offers-api';
import { useState } from 'preact/hooks';
import { BusyButton } from '../../../../ui/busy-button.tsx';
import { usePortal } from '../../session.ts';
import { DeleteOffer } from './delete-offer.tsx';
import { useOffersChanged } from './offers-data.ts';
import { quoted } from './quoted.ts';
import { doingsOf } from './standing.ts';

/** What became of it, to be said where the reader looks. */
export type Done = { readonly id: string; readonly good: boolean; readonly text: string };

type DoingsProps = {
  readonly offer: PortalOffer;
  readonly done: (done: Done, deleted: boolean) => void;
};

const words = { pause: 'Pause', resume: 'Resume' } as const;
const past = { pause: 'is paused', resume: 'goes on' } as const;

export function Doings({ offer, done }: DoingsProps) {
  const { api, mode } = usePortal();
  const changed = useOffersChanged();
  const [deleting, setDeleting] = useState(false);

  const change = async (doing: 'pause' | 'resume') => {
    const reply = await api.send('POST', `/${mode}/offers/${offer.offer_id}/${doing}`);
    // Refused also means that the offer is not what it was here.
    await changed();
    const text = reply.ok
      ? `${quoted(offer.title)} ${past[doing]}.`
      : `${quoted(offer.title)}: ${reply.message}`;
    done({ id: crypto.randomUUID(), good: reply.ok, text }, false);
  };

  return (
    <div class="row doings">
      {doingsOf(offer).map((doing) =>
        doing === 'delete' ? (
          <button
            key={doing}
            type="button"
            class="danger"
            aria-label={`Delete ${offer.title}`}
            onClick={() => setDeleting(true)}
          >
            Delete
          </button>
        ) : (
          <BusyButton
            key={doing}
            class="quiet"
            aria-label={`${words[doing]} ${offer.title}`}
            work={() => change(doing)}
          >
            {words[doing]}
          </BusyButton>
        ),
      )}
      {deleting && (
        <DeleteOffer
          offer={offer}
          close={() => setDeleting(false)}
          deleted={(text) => {
            setDeleting(false);
            done({ id: crypto.randomUUID(), good: true, text }, true);
          }}
        />
      )}
    </div>
  );
}
