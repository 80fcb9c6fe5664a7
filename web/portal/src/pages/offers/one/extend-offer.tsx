/** Buys an offer that follows this one: the same texts, picture and target, from the end of this one on. */
import type { PortalOffer } from '@offer-ads/contracts/portal/offers-api';
import type { CreateReply } from '@offer-ads/contracts/public/api';
import { useState } from 'preact/hooks';
import { Dialog } from '../../../../../ui/dialog.tsx';
import { DialogForm } from '../../../../../ui/dialog-form.tsx';
import { InputField } from '../../../../../ui/field.tsx';
import { Notice } from '../../../../../ui/notice.tsx';
import { localText, momentText } from '../../../../../ui/time-text.ts';
import { useAmounts } from '../../../amounts/amounts.ts';
import { useAttempt } from '../../../attempts/use-attempt.ts';
import { usePortal } from '../../../session.ts';
import { useOfferNow } from '../../../test-clock.ts';
import { type Draft, faultsOf, offerForm, periodOf } from '../new/draft.ts';
import { PaymentFields } from '../new/payment-fields.tsx';
import { PricePanel } from '../new/price-panel.tsx';
import { usePayText } from '../new/purchase.tsx';
import { decideOnQuote } from '../new/quoted-price.ts';
import { sendOffer } from '../new/send-offer.ts';
import { useEstimate } from '../new/use-estimate.ts';
import { useOffersChanged } from '../offers-data.ts';
import { PaymentLink } from '../payment-link.tsx';
import { quotedOffer } from '../quoted.ts';
import { followingDraft } from './following-offer.ts';

type ExtendOfferProps = { readonly offer: PortalOffer; readonly close: () => void };

export function ExtendOffer({ offer, close }: ExtendOfferProps) {
  const { api, mode, at, may } = usePortal();
  const offerNow = useOfferNow();
  // Of the moment in which the dialog was opened, so that the proposed period does not move while it is read.
  const [opened] = useState(offerNow);
  const [choice, setChoice] = useState<{
    readonly endAt: string | null;
    readonly paymentMethod: Draft['paymentMethod'];
  }>({
    endAt: null,
    paymentMethod: offer.payment_method,
  });
  const [created, setCreated] = useState<CreateReply | null>(null);
  const changed = useOffersChanged();
  const amount = useAmounts();
  const attempt = useAttempt('offer');
  const draft = followingDraft(offer, opened, choice);
  const estimate = useEstimate(draft);
  const payText = usePayText();
  const period = periodOf(draft, offerNow());
  const { start: startFault, end: endFault } = faultsOf(draft, 'fits', offerNow());

  const buy = async (): Promise<string | null> => {
    if (startFault !== undefined || endFault !== undefined) return 'Correct the end, then buy again.';
    const now = offerNow();
    const shownMinor = estimate.costMinor;
    const priced = await estimate.quote(now);
    if (!priced.ok) return priced.message;
    const decision = decideOnQuote(shownMinor, priced.body);
    if (decision.outcome === 'refuse')
      return decision.placed.rest ?? 'The offer would reach no members at that time. Nothing was bought.';
    if (decision.outcome === 'show-price') {
      const price = amount(decision.costMinor, priced.body.currency);
      return `The price is now ${price}, net of VAT. Nothing was bought. Buy again if you agree.`;
    }
    const form = offerForm(draft, { picture: null, mode, now, quoteId: decision.quoteId });
    const sent = await sendOffer<CreateReply>({
      sending: { ...attempt.begin(draft.title), form },
      post: ({ key, form }) =>
        api.send('POST', `/${mode}/offers`, { form, headers: { 'idempotency-key': key }, timeoutMs: 60_000 }),
      wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      findingOut: () => {},
    });
    void changed();
    switch (sent.outcome) {
      case 'created':
        attempt.end();
        setCreated(sent.offer);
        return null;
      case 'refused':
        attempt.end();
        return sent.refusal.returnCode === 'E9'
          ? `${sent.refusal.message} ${may('terms') ? 'Accept them under "Terms".' : ''}`
          : sent.refusal.message;
      // The page of a new offer says what became of it, and lets the person go on.
      case 'unknown':
      case 'sent-before':
        attempt.stillUnknown();
        return 'It is not known whether an offer was created. Buy again, which creates it at most once, or look at the list of offers.';
    }
  };

  if (created !== null)
    return (
      <Dialog title="The offer is extended" close={close}>
        {created.payment_url === null ? (
          <Notice kind="good">
            The following offer is paid from the {mode.toUpperCase()} balance and is {created.status}.
          </Notice>
        ) : (
          <div class="stack">
            <p>The following offer is created. Members see it after it is paid.</p>
            <PaymentLink url={created.payment_url} />
          </div>
        )}
        <div class="row">
          <a class="button quiet" href={at(`offers/${created.offer_id}`)}>
            Go to the following offer
          </a>
          <button type="button" class="quiet" onClick={close}>
            Close
          </button>
        </div>
      </Dialog>
    );
  return (
    <DialogForm
      title={`Extend ${quotedOffer(offer)}`}
      submit={estimate.costMinor === null ? 'Buy' : payText(estimate.costMinor, choice.paymentMethod)}
      send={buy}
      close={close}
    >
      <p>
        You buy a new offer that follows offer {offer.offer_id}, with the same texts, picture and audience.{' '}
        {draft.starts === 'now'
          ? 'It starts when it is paid.'
          : `It starts when that one ends, on ${momentText(draft.startAt)}.`}
      </p>
      <InputField
        label="Ends"
        fault={endFault ?? startFault}
        type="datetime-local"
        min={localText(opened)}
        value={choice.endAt ?? (period === null ? '' : localText(period.end))}
        onInput={(event) => setChoice({ ...choice, endAt: event.currentTarget.value })}
      />
      <PricePanel estimate={estimate} />
      <PaymentFields
        draft={draft}
        estimate={estimate}
        fault={undefined}
        disabled={false}
        set={({ paymentMethod }) =>
          paymentMethod !== undefined && setChoice((before) => ({ ...before, paymentMethod }))
        }
      />
    </DialogForm>
  );
}
