/** The form for a new offer: what, where, for whom, when, and how it is paid. Price and reach are always in sight. */
import '../offers.css';
import './new-offer.css';
import { lazily } from '@offer-ads/contracts/values/lazily';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { BusyButton } from '../../../../../ui/busy-button.tsx';
import { focusFirstFault } from '../../../../../ui/choices.tsx';
import { Notice } from '../../../../../ui/notice.tsx';
import { useAmounts } from '../../../amounts/amounts.ts';
import { useAttempt } from '../../../attempts/use-attempt.ts';
import { useOrganisation } from '../../../organisation.ts';
import { PortalPage } from '../../../portal-page.tsx';
import { usePortal } from '../../../session.ts';
import { useAheadSeconds, useOfferNow } from '../../../test-clock.ts';
import { MemberCard } from '../member-card.tsx';
import { useOffersChanged } from '../offers-data.ts';
import { useObjectUrl } from '../one/use-object-url.ts';
import { CopyNotice, useCopiedOffer } from './copied-offer.tsx';
import {
  type DraftField,
  draftAt,
  type Faults,
  faultsOf,
  fieldNames,
  hasPlaceTwice,
  offerForm,
  pictureState,
  targetOf,
} from './draft.ts';
import { AudienceFields } from './form-audience.tsx';
import { PeriodFields } from './form-period.tsx';
import { TextFields } from './form-texts.tsx';
import { useKeptDraft } from './kept-draft.ts';
import { PictureFields } from './picture/form-picture.tsx';
import { firstTarget, rememberTarget } from './places/first-place.ts';
import { TargetFields } from './places/form-target.tsx';
import { budgetFault } from './price/budget.ts';
import { type Placed, placeRefusal } from './price/place-refusal.ts';
import { PricePanel } from './price/price-panel.tsx';
import { decideOnQuote, type UsableQuote } from './price/quoted-price.ts';
import { firstEstimate, placeEstimateRefusal, useEstimate } from './price/use-estimate.ts';
import { Created } from './purchase/created.tsx';
import { LostOfferNotice, useLostOffer } from './purchase/lost-offer.tsx';
import { PaymentFields } from './purchase/payment-fields.tsx';
import { Purchase, usePayText } from './purchase/purchase.tsx';
import { type CreatedReply, type Sending, sendOffer } from './purchase/send-offer.ts';

type Stage =
  | { readonly at: 'writing' }
  | { readonly at: 'sending'; readonly again: boolean }
  /** It is not known whether the offer was created; the same request can be sent again. */
  | { readonly at: 'unknown'; readonly sending: Sending; readonly message: string };

export function NewOffer() {
  const portal = usePortal();
  const { api, mode, at, may, session } = portal;
  const start = useMemo(() => firstTarget(portal), [session.organisation.id, mode]);
  const kept = useKeptDraft(start);
  const copied = useCopiedOffer(kept);
  const organisation = useOrganisation();
  const attempt = useAttempt('offer');
  const lost = useLostOffer(attempt.lost);
  const { draft, picture } = kept;
  const changed = useOffersChanged();
  const [stage, setStage] = useState<Stage>({ at: 'writing' });
  const [created, setCreated] = useState<CreatedReply | null>(null);
  const [tried, setTried] = useState(false);
  /** LIVE money is spent only after a summary. */
  const [isReviewing, setReviewing] = useState(false);
  /** The last refusal, until a field changes. */
  const [refused, setRefused] = useState<{ faults: Faults; rest: string | null; code: string | null } | null>(
    null,
  );
  const form = useRef<HTMLFormElement>(null);
  const underWay = useRef(false);
  const estimate = useEstimate(draft);
  const amount = useAmounts();
  const pay = usePayText();

  const aheadSeconds = useAheadSeconds();
  const offerNow = useOfferNow();
  // The price of an older draft says nothing about the budget: then the quote decides.
  const knownCost = estimate.isOld ? null : estimate.costMinor;
  const budgetFaultAt = (cost: bigint | null) => budgetFault(draft.budget, cost, session.organisation);
  const faultsNow = (): Faults => {
    const budget = budgetFaultAt(knownCost);
    const others = faultsOf(draft, pictureState(picture, draft), offerNow());
    return budget === undefined ? others : { ...others, budget };
  };
  const own = useMemo(faultsNow, [draft, picture, aheadSeconds, knownCost]);
  const always: Faults = {
    ...(picture !== null && own.picture !== undefined ? { picture: own.picture } : {}),
    ...(draft.starts === 'later' && draft.startAt !== '' && own.start !== undefined
      ? { start: own.start }
      : {}),
    ...(draft.runs === 'until' && draft.endAt !== '' && own.end !== undefined ? { end: own.end } : {}),
    ...estimate.faults,
  };
  const faults: Faults = { ...always, ...(tried ? own : {}), ...refused?.faults };

  const chosenPicture = useObjectUrl(pictureState(picture) === 'fits' ? picture : null);
  const shownPicture = chosenPicture ?? (draft.copiedPicture || null);

  const [focusFault, setFocusFault] = useState(0);
  useEffect(() => {
    if (focusFault > 0) focusFirstFault(form.current);
  }, [focusFault]);

  const set: typeof kept.set = (part) => {
    setRefused(null);
    setReviewing(false);
    kept.set(part);
  };

  const send = async (sending: Sending) => {
    setStage({ at: 'sending', again: false });
    const sent = await sendOffer<CreatedReply>({
      sending,
      post: ({ key, form }) =>
        // The service may take 25 s after the picture has arrived, and the upload may be slow.
        api.send('POST', `/${mode}/${form.has('places') ? 'offer-groups' : 'offers'}`, {
          form,
          headers: { 'idempotency-key': key },
          timeoutMs: 60_000,
        }),
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
    attempt.end();
    if (sent.outcome === 'created') {
      // "Create another offer" begins with a form that nobody has tried to send.
      setTried(false);
      setRefused(null);
      rememberTarget(portal.scope, draft);
      kept.begin(draftAt(targetOf(draft) ?? start));
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
    // A LIVE offer is bought only at a price that its summary has shown.
    const shownMinor = mode === 'live' ? knownCost : estimate.costMinor;
    const quoted = await estimate.quote(now);
    if (!quoted.ok) {
      refuse(placeEstimateRefusal(quoted), null);
      return null;
    }
    const decision = decideOnQuote(shownMinor, quoted.body, budgetFaultAt);
    switch (decision.outcome) {
      case 'send':
        return decision;
      case 'show-price': {
        const price = amount(decision.costMinor, quoted.body.currency);
        const rest = `The price is now ${price}, without VAT. Nothing was created. Pay again if you agree.`;
        refuse({ faults: {}, rest }, null);
        return null;
      }
      case 'refuse':
        refuse(decision.placed, decision.code);
        return null;
    }
  };

  const isPriceDue = knownCost === null && (estimate.isOld || estimate.isAsking);
  const isLost = attempt.lost !== null && stage.at === 'writing';
  const busy = stage.at !== 'writing' || (isLost && lost.state === 'open');

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (underWay.current || busy) return;
    setTried(true);
    if (Object.keys(faultsNow()).length > 0) return setFocusFault((count) => count + 1);
    // The summary opens as soon as there is a current price. Where none comes, `buy` says why, and buys nothing.
    if (mode === 'live' && (knownCost !== null || isPriceDue)) {
      setRefused(null);
      return setReviewing(true);
    }
    await buy();
  };

  const buy = async () => {
    const now = offerNow();
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

  if (created !== null) return <Created created={created} another={() => setCreated(null)} />;

  return (
    <PortalPage
      title="New offer"
      lead={
        mode === 'test'
          ? 'A TEST offer: no member sees it, and it costs play money.'
          : 'A LIVE offer: members see it, and it costs money.'
      }
    >
      {isLost && attempt.lost !== null && (
        <LostOfferNotice
          attempt={attempt.lost}
          lost={lost}
          forget={attempt.end}
          done={() => {
            kept.begin();
            attempt.end();
          }}
        />
      )}
      {organisation.data?.termsAccepted === false && (
        <Notice kind="warning">
          <p>
            <strong>Accept the advertising terms first.</strong> Without them no offer can be created.{' '}
            {may('terms') ? (
              <a href={at('terms')}>Read and accept them</a>
            ) : (
              <>
                An admin of your organisation can <a href={at('terms')}>read and accept them</a>
              </>
            )}
            . What you have entered here is kept.
          </p>
        </Notice>
      )}
      <CopyNotice copied={copied} draft={draft} />
      {kept.isBack && copied.state !== 'ask' && !(isLost && lost.state !== 'none') && (
        <Notice>
          <p>
            This is your draft from before.
            {draft.hasPicture &&
              picture === null &&
              ' Choose its picture again: a reload of the page loses it.'}
          </p>
          <div>
            <button type="button" class="quiet" onClick={() => kept.begin()}>
              Start again
            </button>
          </div>
        </Notice>
      )}
      <form
        ref={form}
        class="new-offer"
        noValidate
        hidden={(isLost && lost.state === 'created') || copied.state === 'loading'}
        onSubmit={(event) => void submit(event)}
        aria-label="New offer"
      >
        <fieldset class="stack" disabled={busy}>
          <legend class="hidden">The offer</legend>
          <Step number={1} id="offer-what" title="What members see">
            <div class="texts-and-preview">
              <div class="stack">
                <TextFields draft={draft} faults={faults} set={set} />
                <InFrame nth={1}>
                  <PictureFields
                    fault={faults.picture}
                    picture={picture}
                    otherwise={draft.copiedPicture === '' ? null : 'The picture of the copied offer'}
                    choose={(next) => {
                      setRefused(null);
                      kept.setPicture(next);
                    }}
                  />
                </InFrame>
              </div>
              <div class="preview" data-empty={draft.title === '' && shownPicture === null}>
                <p class="label">Preview</p>
                <MemberCard draft={draft} picture={shownPicture} />
              </div>
            </div>
          </Step>
          <Step number={2} id="offer-where" title="Where">
            <TargetFields draft={draft} faults={faults} set={set} start={start} estimate={estimate} />
          </Step>
          <Step number={3} id="offer-who" title="For whom">
            <AudienceFields draft={draft} faults={faults} set={set} />
          </Step>
          <Step number={4} id="offer-when" title="When">
            <PeriodFields draft={draft} faults={faults} set={set} estimate={estimate} />
          </Step>
        </fieldset>
        <div class="buying">
          <section class="card price-bar" aria-labelledby="offer-price">
            <h2 id="offer-price">Price</h2>
            <PricePanel estimate={estimate} />
          </section>
          <Step number={5} id="offer-pay" title="Payment">
            <PaymentFields
              draft={draft}
              estimate={estimate}
              fault={faults.payment}
              disabled={busy}
              isDraftKept
              set={set}
            />
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
                {faults.place === undefined
                  ? `Correct ${namesOf(faults)}, then pay.`
                  : hasPlaceTwice(draft)
                    ? faults.place
                    : 'Choose a place with members first.'}
              </p>
            )}
            <button class="create" aria-disabled={busy}>
              {stage.at === 'sending'
                ? stage.again
                  ? 'Finding out …'
                  : 'Creating …'
                : isReviewing && isPriceDue
                  ? 'Asking for the price …'
                  : estimate.costMinor === null
                    ? 'Create the offer'
                    : // In LIVE mode a summary comes first.
                      `${pay(estimate.costMinor, draft.paymentMethod)}${mode === 'live' ? ' …' : ''}`}
            </button>
            {stage.at === 'sending' && stage.again && (
              <Notice kind="warning">
                The answer was lost on the way. We are checking whether the offer was created. It is never
                created twice.
              </Notice>
            )}
            {stage.at === 'unknown' && (
              <div class="notice problem" role="alert">
                <p>
                  {stage.message} It is not known yet whether the offer was created. Ask again: this never
                  creates a second offer. Or look at <a href={at('offers')}>the list of offers</a>.
                </p>
                <div>
                  <BusyButton work={() => send(stage.sending)}>Ask again</BusyButton>
                </div>
              </div>
            )}
          </Step>
        </div>
      </form>
      {isReviewing && knownCost !== null && (
        <Purchase draft={draft} estimate={estimate} buy={buy} close={() => setReviewing(false)} />
      )}
    </PortalPage>
  );
}

NewOffer.firstQuery = firstEstimate;

type StepProps = {
  readonly number: number;
  readonly id: string;
  readonly title: string;
  readonly children: ComponentChildren;
};

function Step({ number, id, title, children }: StepProps) {
  return (
    <InFrame nth={number}>
      <section class="card step" aria-labelledby={id}>
        <h2 id={id}>
          <span class="step-number" aria-hidden="true">
            {number}
          </span>
          {title}
        </h2>
        {children}
      </section>
    </InFrame>
  );
}

type InFrameProps = { readonly nth: number; readonly children: ComponentChildren };

/** Drawn so many frames after what is around it: the price comes first, and between the parts a slow phone answers to people. */
function InFrame({ nth, children }: InFrameProps) {
  const [left, setLeft] = useState(nth);
  useEffect(() => {
    if (left === 0) return;
    const timer = setTimeout(() => setLeft(left - 1));
    return () => clearTimeout(timer);
  }, [left]);
  return left === 0 ? <>{children}</> : null;
}

const listOf = lazily(() => new Intl.ListFormat('en-GB'));

/** "Category, Title and Picture" */
function namesOf(faults: Faults): string {
  const fields = Object.keys(fieldNames) as DraftField[];
  return listOf().format(
    fields.filter((field) => faults[field] !== undefined).map((field) => fieldNames[field]),
  );
}
