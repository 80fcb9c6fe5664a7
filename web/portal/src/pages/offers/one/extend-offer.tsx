/** Buys an offer that follows this one: the same texts, picture and target, from the end of this one on. */
import type { PortalOffer } from '@offer-ads/contracts/portal/offers-api';
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
import { pageOf } from '../groups.ts';
import { type Draft, faultsOf, offerForm, periodOf } from '../new/draft.ts';
import { PricePanel } from '../new/price/price-panel.tsx';
import { decideOnQuote } from '../new/price/quoted-price.ts';
import { useEstimate } from '../new/price/use-estimate.ts';
import { PaymentFields } from '../new/purchase/payment-fields.tsx';
import { usePayText } from '../new/purchase/purchase.tsx';
import { type CreatedReply, sendOffer } from '../new/purchase/send-offer.ts';
import { useOffersChanged } from '../offers-data.ts';
import { PaymentLink } from '../payment-link.tsx';
import { quotedOffer } from '../quoted.ts';
import { followingDraft } from './following-offer.ts';

type ExtendOfferProps = { readonly offer: PortalOffer; readonly close: () => void };

export function ExtendOffer({ offer, close }: ExtendOfferProps) {
  const { mode } = usePortal();
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
  const extension = useExtension('/offers');
  const amount = useAmounts();
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
      return `The price is now ${price}, without VAT. Nothing was bought. Buy again if you agree.`;
    }
    const form = offerForm(draft, { picture: null, mode, now, quoteId: decision.quoteId });
    return extension.send(draft.title, form);
  };

  if (extension.created !== null)
    return <Extended title="The offer is extended" created={extension.created} close={close} />;
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

/** Buys what follows, at most once. `send` resolves with what went wrong. */
export function useExtension(path: '/offers' | '/offer-groups') {
  const { api, mode, may } = usePortal();
  const [created, setCreated] = useState<CreatedReply | null>(null);
  const changed = useOffersChanged();
  const attempt = useAttempt('offer');
  const send = async (title: string, form: FormData): Promise<string | null> => {
    const sent = await sendOffer<CreatedReply>({
      sending: { ...attempt.begin(title), form },
      post: ({ key, form }) =>
        api.send('POST', `/${mode}${path}`, { form, headers: { 'idempotency-key': key }, timeoutMs: 60_000 }),
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
        return 'It is not known whether anything was bought. Buy again, which buys it at most once, or look at the list of offers.';
    }
  };
  return { created, send };
}

type ExtendedProps = {
  readonly title: string;
  readonly created: CreatedReply;
  readonly close: () => void;
};

export function Extended({ title, created, close }: ExtendedProps) {
  const { at, mode } = usePortal();
  const isGroup = 'group_id' in created;
  const status = isGroup ? created.offers[0]?.status : created.status;
  return (
    <Dialog title={title} close={close}>
      {created.payment_url === null ? (
        <Notice kind="good">
          {isGroup ? 'The following offers are' : 'The following offer is'} paid from the {mode.toUpperCase()}{' '}
          balance. State: {status}.
        </Notice>
      ) : (
        <div class="stack">
          <p>
            {isGroup
              ? 'The following offers are created. Members see them after they are paid.'
              : 'The following offer is created. Members see it after it is paid.'}
          </p>
          <PaymentLink url={created.payment_url} />
        </div>
      )}
      <div class="row">
        <a
          class="button quiet"
          href={at(
            isGroup
              ? pageOf({ groupId: created.group_id, offerId: 0 })
              : pageOf({ groupId: null, offerId: created.offer_id }),
          )}
        >
          {isGroup ? 'Go to the following offers' : 'Go to the following offer'}
        </a>
        <button type="button" class="quiet" onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
