/** Fills the form with a copy of an offer: the address `offers/new?from=7` names it. A draft is replaced only if the person says so. */
import type { PortalOffer } from '@offer-ads/contracts/portal/offers-api';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { Notice } from '../../../../../ui/notice.tsx';
import { Loading } from '../../../../../ui/states.tsx';
import { usePortal, useRead } from '../../../session.ts';
import { useOfferNow } from '../../../test-clock.ts';
import { useCategories } from '../offers-data.ts';
import { quoted } from '../quoted.ts';
import { copyOf, type Draft } from './draft.ts';
import type { KeptDraft } from './kept-draft.ts';

export type CopiedOffer =
  | { readonly state: 'none' }
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly message: string }
  /** There is a draft that the copy would replace. */
  | { readonly state: 'ask'; readonly title: string; readonly copy: () => void; readonly keep: () => void };

export function useCopiedOffer(kept: KeptDraft): CopiedOffer {
  const { at, mode, scope } = usePortal();
  const { query, route } = useLocation();
  const offerNow = useOfferNow();
  const id = /^\d{1,15}$/.exec(query['from'] ?? '')?.[0];
  const categories = useCategories();
  const read = useRead<PortalOffer>([...scope, 'offers', 'one', id], `/${mode}/offers/${id}`, {
    enabled: id !== undefined,
  });
  const offer = id === undefined ? undefined : read.data;
  const known = categories.data?.categories;
  const isReady = offer !== undefined && known !== undefined;

  // The address is that of the form alone from then on: a reload must not copy again over what was changed.
  const done = () => route(at('offers/new'), true);
  const copy = () => {
    if (!isReady) return;
    const ids = known.map(({ category_id }) => category_id);
    kept.begin(copyOf(offer, offerNow(), ids));
    done();
  };
  useEffect(() => {
    if (isReady && !kept.isBack) copy();
  }, [isReady]);

  if (id === undefined) return { state: 'none' };
  if (isReady)
    return kept.isBack ? { state: 'ask', title: offer.title, copy, keep: done } : { state: 'loading' };
  const error = read.error ?? categories.error;
  return error === null ? { state: 'loading' } : { state: 'failed', message: error.message };
}

type CopyNoticeProps = {
  readonly copied: CopiedOffer;
  readonly draft: Draft;
};

export function CopyNotice({ copied, draft }: CopyNoticeProps) {
  const { at } = usePortal();
  switch (copied.state) {
    case 'loading':
      return <Loading what="the offer to copy" lines={9} />;
    case 'failed':
      return (
        <Notice kind="problem">
          <p>
            The offer could not be copied. {copied.message} Choose it in{' '}
            <a href={at('offers')}>the list of offers</a>, or write a new one here.
          </p>
        </Notice>
      );
    case 'ask':
      return (
        <Notice kind="warning">
          <p>You have a draft that is not sent yet. A copy of {quoted(copied.title)} would replace it.</p>
          <div class="row">
            <button type="button" onClick={copied.keep}>
              Keep my draft
            </button>
            <button type="button" class="quiet" onClick={copied.copy}>
              Replace it with the copy
            </button>
          </div>
        </Notice>
      );
    case 'none':
      return draft.copiedFromId === 0 ? null : (
        <Notice>
          <p>
            Copied from{' '}
            <a href={at(`offers/${draft.copiedFromId}`)} class="as-written">
              {quoted(draft.copiedFromTitle)}
            </a>
            . It has the same title: change it, so that you can tell the two apart. It starts now unless you
            choose a later start.
          </p>
        </Notice>
      );
  }
}
