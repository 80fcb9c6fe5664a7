/**
 * Texts and pictures of LIVE offers that are new or were edited, the longest waiting first. They run already: a review comes afterwards and
 * holds up no offer (decision 255, review of offers).
 */
import type { AdminOfferReply, ReviewsReply } from '@offer-ads/contracts/admin/offers-api';
import { useQueryClient } from '@tanstack/preact-query';
import { useEffect, useRef, useState } from 'preact/hooks';
import { BusyButton } from '../../../ui/busy-button.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Empty, Loaded } from '../../../ui/states.tsx';
import { When } from '../../../ui/when.tsx';
import { ConsolePage } from '../console-page.tsx';
import { useMay } from '../may.tsx';
import { DisableOffer, EnableOffer } from '../offers/disable-offer.tsx';
import { OfferTexts } from '../offers/offer-texts.tsx';
import { OfferStanding, WhyDisabled } from '../offers/offers-table.tsx';
import { PictureFrame } from '../pictures/picture-frame.tsx';
import { useConsole, useRead } from '../session.ts';
import { useShortcuts } from '../use-shortcuts.ts';
import './reviews.css';

const queue = '/offers/reviews?mode=LIVE&limit=20';

export function Reviews() {
  const waiting = useRead<ReviewsReply>(queue);
  const queries = useQueryClient();
  /** Those that the person has left for later, and those that are done while the list is read again. */
  const [left, setLeft] = useState<ReadonlySet<number>>(new Set());
  const [done, setDone] = useState<string | null>(null);
  const open = waiting.data?.offers.filter(({ id }) => !left.has(id)) ?? [];
  const [current, following] = open;
  // The next offer is read while this one is looked at.
  useRead(`/offers/offers/${following?.id}`, { enabled: following !== undefined });
  const goOn = async (id: number, words: string | null) => {
    setLeft(new Set(left).add(id));
    setDone(words);
    if (words !== null || open.length <= 1) await queries.invalidateQueries({ queryKey: [queue] });
  };
  return (
    <ConsolePage
      title="Reviews"
      lead="LIVE offers that are new, or whose texts or picture were edited. Members see them already. Those that wait longest come first."
    >
      {done !== null && <Notice kind="good">{done}</Notice>}
      <Loaded query={waiting} what="the offers that wait" lines={10}>
        {({ offers, nextCursor }) =>
          current === undefined ? (
            <Empty
              title={offers.length === 0 ? 'No offer waits for a review' : 'The others were left for later'}
            >
              {offers.length > 0 && (
                <button type="button" class="quiet" onClick={() => setLeft(new Set())}>
                  Begin again with them
                </button>
              )}
            </Empty>
          ) : (
            <>
              <p class="small muted">
                {open.length}
                {nextCursor !== null && ' or more'} {open.length === 1 ? 'offer waits' : 'offers wait'}
              </p>
              <One key={current.id} id={current.id} goOn={goOn} />
            </>
          )
        }
      </Loaded>
    </ConsolePage>
  );
}

type OneProps = {
  readonly id: number;
  /** Null: the person leaves it for later. */
  readonly goOn: (id: number, words: string | null) => Promise<void>;
};

function One({ id, goOn }: OneProps) {
  const found = useRead<AdminOfferReply>(`/offers/offers/${id}`);
  return (
    <Loaded query={found} what="the offer" lines={10}>
      {(offer) => <Looked offer={offer} goOn={goOn} reload={found.refetch} seenAt={found.dataUpdatedAt} />}
    </Loaded>
  );
}

type LookedProps = Pick<OneProps, 'goOn'> & {
  readonly offer: AdminOfferReply;
  readonly reload: () => Promise<unknown>;
  readonly seenAt: number;
};

function Looked({ offer, goOn, reload, seenAt }: LookedProps) {
  const { send } = useConsole();
  const { why } = useMay('POST /offers/offers/:id/review');
  const { id, enabled, contentVersion, contentChangedAt, reviewWaitingSince } = offer;
  const [problem, setProblem] = useState<string | null>(null);
  const [switching, setSwitching] = useState<'disable' | 'enable' | null>(null);
  const [shortcuts, setShortcuts] = useState(true);
  const heading = useRef<HTMLHeadingElement>(null);
  // The next offer opens by itself: the focus goes there, so that a screen reader reads it.
  useEffect(() => heading.current?.focus(), []);
  // A ref, because a key may be pressed again before the next rendering.
  const isSending = useRef(false);
  const review = async () => {
    const reply = await send(`/offers/offers/${id}/review`, { contentVersion }, seenAt);
    if (reply.ok) return true;
    setProblem(reply.message);
    // Somebody has changed or decided about it meanwhile: what is shown from now on is the present state.
    if (reply.status === 409) await reload();
    return false;
  };
  const looked = async () => {
    if (isSending.current) return;
    isSending.current = true;
    setProblem(null);
    try {
      if (await review()) await goOn(id, `Offer ${id} ${enabled ? 'looks fine' : 'stays disabled'}.`);
    } finally {
      isSending.current = false;
    }
  };
  const ask = () => setSwitching(enabled ? 'disable' : 'enable');
  const later = () => void goOn(id, null);
  /** Who disables an offer has looked at it. If the mark after enabling fails, it stays in the queue. */
  const afterSwitch = async (message: string | null) => {
    setSwitching(null);
    if (message !== null && (switching === 'disable' || (await review()))) await goOn(id, message);
  };
  useShortcuts(shortcuts && switching === null, {
    f: enabled ? () => void looked() : ask,
    d: enabled ? ask : () => void looked(),
    l: later,
  });
  return (
    <article class="card" aria-labelledby={`offer-${id}`}>
      <div class="row spread">
        <h2 id={`offer-${id}`} ref={heading} tabIndex={-1}>
          {offer.title}
        </h2>
        <OfferStanding {...offer} />
      </div>
      <p class="small muted">
        <a href={`/offers/${id}`}>Offer {id}</a> of{' '}
        <a href={`/organisations/${offer.organisationId}`}>organisation {offer.organisationId}</a>,{' '}
        {contentVersion > 1 ? (
          <>
            edited <When at={contentChangedAt} />,{' '}
          </>
        ) : (
          enabled && 'new, '
        )}
        waits since <When at={reviewWaitingSince} />
      </p>
      <WhyDisabled offer={offer} />
      <div class="beside">
        <PictureFrame src={`/api/offers/images/${offer.imageHash}`} alt="The picture of the offer" />
        <OfferTexts offer={offer} />
      </div>
      {why !== '' && <Notice kind="warning">{why}</Notice>}
      {problem !== null && <Notice kind="problem">{problem}</Notice>}
      <div class="row">
        {enabled ? (
          <>
            <BusyButton work={looked} aria-keyshortcuts="f">
              Looks fine
            </BusyButton>
            <button type="button" class="danger" aria-keyshortcuts="d" onClick={ask}>
              Disable …
            </button>
          </>
        ) : (
          <>
            <button type="button" aria-keyshortcuts="f" onClick={ask}>
              Enable …
            </button>
            <BusyButton class="danger" work={looked} aria-keyshortcuts="d">
              Keep it disabled
            </BusyButton>
          </>
        )}
        <button type="button" class="quiet" aria-keyshortcuts="l" onClick={later}>
          Leave for later
        </button>
        <label class="choice small keys">
          <input
            type="checkbox"
            checked={shortcuts}
            onChange={(event) => setShortcuts(event.currentTarget.checked)}
          />
          <span>
            Keys: <kbd>F</kbd> {enabled ? 'looks fine' : 'enable'}, <kbd>D</kbd>{' '}
            {enabled ? 'disable' : 'keep it disabled'}, <kbd>L</kbd> later
          </span>
        </label>
      </div>
      {switching === 'disable' && <DisableOffer id={id} close={(message) => void afterSwitch(message)} />}
      {switching === 'enable' && <EnableOffer id={id} close={(message) => void afterSwitch(message)} />}
    </article>
  );
}
