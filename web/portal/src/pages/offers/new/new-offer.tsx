/** The form for a new offer. It shows the price while place, time and audience change. */
import '../offers.css';
import type { CreateReply } from '@offer-ads/contracts/public/api';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { BusyButton } from '../../../../../ui/busy-button.tsx';
import { focusFirstFault } from '../../../../../ui/choices.tsx';
import { Notice } from '../../../../../ui/notice.tsx';
import { useAmounts } from '../../../amounts.ts';
import { useAttempt } from '../../../attempts/use-attempt.ts';
import { PortalPage } from '../../../portal-page.tsx';
import { usePortal } from '../../../session.ts';
import { useAheadSeconds, useOfferNow } from '../../../test-clock.ts';
import { useOffersChanged } from '../offers-data.ts';
import { Created } from './created.tsx';
import { type Faults, faultsOf, offerForm, pictureState } from './draft.ts';
import { AudienceFields } from './form-audience.tsx';
import { PeriodFields } from './form-period.tsx';
import { PictureFields } from './form-picture.tsx';
import { TargetFields } from './form-target.tsx';
import { TextFields } from './form-texts.tsx';
import { useKeptDraft } from './kept-draft.ts';
import { LostOfferNotice, useLostOffer } from './lost-offer.tsx';
import { PaymentFields } from './payment-fields.tsx';
import { type Placed, placeRefusal } from './place-refusal.ts';
import { PricePanel } from './price-panel.tsx';
import { decideOnQuote, type UsableQuote } from './quoted-price.ts';
import { type Sending, sendOffer } from './send-offer.ts';
import { placeEstimateRefusal, useEstimate } from './use-estimate.ts';

type Stage =
  | { readonly at: 'writing' }
  | { readonly at: 'sending'; readonly again: boolean }
  /** It is not known whether the offer was created; the same request can be sent again. */
  | { readonly at: 'unknown'; readonly sending: Sending; readonly message: string };

export function NewOffer() {
  const { api, mode, at, may } = usePortal();
  const kept = useKeptDraft();
  const attempt = useAttempt('offer');
  const lost = useLostOffer(attempt.lost);
  const { draft, picture } = kept;
  const changed = useOffersChanged();
  const [stage, setStage] = useState<Stage>({ at: 'writing' });
  const [created, setCreated] = useState<CreateReply | null>(null);
  const [tried, setTried] = useState(false);
  /** The last refusal, until a field changes. */
  const [refused, setRefused] = useState<{ faults: Faults; rest: string | null; code: string | null } | null>(
    null,
  );
  const form = useRef<HTMLFormElement>(null);
  const underWay = useRef(false);
  const estimate = useEstimate(draft);
  const amount = useAmounts();

  const aheadSeconds = useAheadSeconds();
  const offerNow = useOfferNow();
  const own = useMemo(
    () => faultsOf(draft, pictureState(picture), offerNow()),
    [draft, picture, aheadSeconds],
  );
  const always: Faults = {
    ...(picture !== null && own.picture !== undefined ? { picture: own.picture } : {}),
    ...(draft.starts === 'later' && draft.startAt !== '' && own.start !== undefined
      ? { start: own.start }
      : {}),
    ...(draft.runs === 'until' && draft.endAt !== '' && own.end !== undefined ? { end: own.end } : {}),
    ...estimate.faults,
  };
  const faults: Faults = { ...always, ...(tried ? own : {}), ...refused?.faults };

  const [focusFault, setFocusFault] = useState(0);
  useEffect(() => {
    if (focusFault > 0) focusFirstFault(form.current);
  }, [focusFault]);

  const set: typeof kept.set = (part) => {
    setRefused(null);
    kept.set(part);
  };

  const send = async (sending: Sending) => {
    setStage({ at: 'sending', again: false });
    const sent = await sendOffer({
      sending,
      post: ({ key, form }) =>
        // The service may take 25 s after the picture has arrived, and the upload may be slow.
        api.send('POST', `/${mode}/offers`, { form, headers: { 'idempotency-key': key }, timeoutMs: 60_000 }),
      wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      findingOut: () => setStage({ at: 'sending', again: true }),
    });
    if (sent.outcome === 'unknown')
      return setStage({
        at: 'unknown',
        sending: { ...sending, isRepeat: true },
        message: sent.refusal.message,
      });
    setStage({ at: 'writing' });
    void changed();
    if (sent.outcome === 'sent-before') return attempt.stillUnknown();
    attempt.settled();
    if (sent.outcome === 'created') {
      kept.drop();
      return setCreated(sent.offer);
    }
    const { returnCode, message } = sent.refusal;
    refuse(placeRefusal(returnCode, message), returnCode);
  };

  const refuse = (placed: Placed, code: string | null) => {
    setStage({ at: 'writing' });
    setRefused({ ...placed, code });
    setFocusFault((count) => count + 1);
  };

  /** A quote that costs no more than the shown price; null if the person must read something first. */
  const quoteAtShownPrice = async (now: Date): Promise<UsableQuote | null> => {
    setRefused(null);
    setStage({ at: 'sending', again: false });
    const shownMinor = estimate.costMinor;
    const quoted = await estimate.quote(now);
    if (!quoted.ok) {
      refuse(placeEstimateRefusal(quoted), null);
      return null;
    }
    const decision = decideOnQuote(shownMinor, quoted.body);
    switch (decision.outcome) {
      case 'send':
        return decision;
      case 'show-price': {
        const price = amount(decision.costMinor, quoted.body.currency);
        const rest = `The price is now ${price}, net of VAT. Nothing was created. Create the offer again if you agree.`;
        refuse({ faults: {}, rest }, null);
        return null;
      }
      case 'refuse':
        refuse(decision.placed, decision.code);
        return null;
    }
  };

  const isLost = attempt.lost !== null && stage.at === 'writing';
  const busy = stage.at !== 'writing' || (isLost && lost.state === 'open');

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (underWay.current || busy) return;
    setTried(true);
    const now = offerNow();
    if (picture === null || Object.keys(faultsOf(draft, pictureState(picture), now)).length > 0)
      return setFocusFault((count) => count + 1);
    underWay.current = true;
    try {
      const quote = await quoteAtShownPrice(now);
      if (quote === null) return;
      const form = offerForm(draft, { picture, mode, now, quoteId: quote.quoteId });
      await send({ ...attempt.begin(draft.title), form });
    } finally {
      underWay.current = false;
    }
  };

  if (created !== null) return <Created offer={created} another={() => setCreated(null)} />;

  return (
    <PortalPage
      title="New offer"
      lead={
        mode === 'test'
          ? 'In TEST mode: nobody sees it, and it costs play money.'
          : 'In LIVE mode: members see it, and it costs money.'
      }
    >
      {isLost && attempt.lost !== null && (
        <LostOfferNotice
          attempt={attempt.lost}
          lost={lost}
          forget={attempt.settled}
          done={() => {
            kept.drop();
            attempt.settled();
          }}
        />
      )}
      {kept.isBack && !(isLost && lost.state !== 'none') && (
        <Notice>
          <p>
            This is your draft from before.
            {picture === null && ' The picture was lost when the page was reloaded: choose it again.'}
          </p>
          <div>
            <button type="button" class="quiet" onClick={kept.drop}>
              Start again
            </button>
          </div>
        </Notice>
      )}
      <form
        ref={form}
        class="new-offer"
        noValidate
        hidden={isLost && lost.state === 'created'}
        onSubmit={(event) => void submit(event)}
        aria-label="New offer"
      >
        <fieldset class="stack" disabled={busy}>
          <legend class="hidden">The offer</legend>
          <section class="card" aria-labelledby="offer-what">
            <h2 id="offer-what">What members see</h2>
            <TextFields draft={draft} faults={faults} set={set} />
            <PictureFields
              draft={draft}
              fault={faults.picture}
              picture={picture}
              choose={(next) => {
                setRefused(null);
                kept.setPicture(next);
              }}
            />
          </section>
          <section class="card" aria-labelledby="offer-where">
            <h2 id="offer-where">Where</h2>
            <TargetFields draft={draft} faults={faults} set={set} />
          </section>
          <section class="card" aria-labelledby="offer-who">
            <h2 id="offer-who">Who</h2>
            <AudienceFields draft={draft} faults={faults} set={set} />
          </section>
          <section class="card" aria-labelledby="offer-when">
            <h2 id="offer-when">When</h2>
            <PeriodFields draft={draft} faults={faults} set={set} />
          </section>
        </fieldset>
        <section class="card price-panel" aria-labelledby="offer-price">
          <h2 id="offer-price">Price</h2>
          <PricePanel estimate={estimate} draft={draft} />
          <PaymentFields draft={draft} estimate={estimate} fault={faults.payment} disabled={busy} set={set} />
          {refused !== null && refused.rest !== null && (
            <div class="notice problem" role="alert" tabIndex={-1}>
              <p>{refused.rest}</p>
              {refused.code === 'E9' && (
                <p>
                  <a href={at('terms')}>Read the terms</a>
                  {may('terms')
                    ? ' and accept them'
                    : '; an admin of your organisation can accept them there'}
                  . Your draft is kept here.
                </p>
              )}
              {refused.code === 'E4' && (
                <p>
                  You can create an offer again when <a href={at('offers')}>an offer</a> ends or is deleted.
                  Your draft is kept here.
                </p>
              )}
            </div>
          )}
          {tried && Object.keys(faults).length > 0 && (
            <p class="fault" role="status">
              Some fields are missing or wrong. Correct the marked fields, then try again.
            </p>
          )}
          <button aria-disabled={busy}>
            {stage.at === 'sending' ? (stage.again ? 'Finding out …' : 'Creating …') : 'Create the offer'}
          </button>
          {stage.at === 'sending' && stage.again && (
            <Notice kind="warning">
              The answer was lost on the way. We are checking whether the offer was created; it cannot be
              created twice.
            </Notice>
          )}
          {stage.at === 'unknown' && (
            <div class="notice problem" role="alert">
              <p>
                {stage.message} It is not known yet whether the offer was created. Ask again (this never
                creates a second offer), or look at <a href={at('offers')}>the list of offers</a>.
              </p>
              <div>
                <BusyButton work={() => send(stage.sending)}>Ask again</BusyButton>
              </div>
            </div>
          )}
        </section>
      </form>
    </PortalPage>
  );
}
