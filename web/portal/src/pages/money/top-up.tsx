/** Fills the balance by card: on the card provider's page, in a tab of its own, while this one waits for the money. */
import type { CardTopUpReply } from '@offer-ads/contracts/internal/billing-api';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Field } from '../../../../ui/field.tsx';
import { Form, textOf } from '../../../../ui/form.tsx';
import { amountFault, typedAmount, vatOnCard } from '../../amount-fields.ts';
import { useAmounts } from '../../amounts.ts';
import { usePortal } from '../../session.ts';
import { useAskOnce } from './ask-once.ts';
import { LostRequest } from './lost-request.tsx';

export type WaitingTopUp = { readonly topUp: CardTopUpReply; readonly balanceBefore: string };

type TopUpProps = {
  readonly waiting: WaitingTopUp | null;
  /** Null: somebody wants another one. */
  readonly opened: (topUp: CardTopUpReply | null) => void;
};

export function TopUp({ waiting, opened }: TopUpProps) {
  const { mode, session } = usePortal();
  const { country, currency } = session.organisation;
  const amount = useAmounts();
  const [text, setText] = useState('');
  const once = useAskOnce<CardTopUpReply>('top-up', `/${mode}/billing/top-ups`);
  const net = typedAmount(text, currency);
  const vat = net === undefined ? 0n : vatOnCard(net, country);

  const ready = (topUp: CardTopUpReply) => {
    setText('');
    opened(topUp);
  };
  const open = async (values: FormData) => {
    const amountMinor = typedAmount(textOf(values, 'amount'), currency);
    if (amountMinor === undefined) return amountFault(currency);
    const asked = await once.ask(amountMinor);
    if (asked.outcome === 'refused') return asked.message;
    if (asked.outcome === 'done') ready(asked.body);
    return null;
  };

  const link = useRef<HTMLAnchorElement>(null);
  const asks = useId();
  const isWaiting = waiting !== null;
  // The button that was pressed is gone.
  useEffect(() => {
    if (isWaiting) link.current?.focus();
  }, [isWaiting]);

  if (waiting !== null) {
    const { paymentUrl, netMinor, vatMinor } = waiting.topUp;
    return (
      <div class="stack">
        <p id={asks}>
          The payment page asks for <strong>{amount(BigInt(netMinor) + BigInt(vatMinor))}</strong>
          {vatMinor !== '0' && `: ${amount(netMinor)} for the balance and ${amount(vatMinor)} VAT`}.
        </p>
        <div class="row">
          <a
            ref={link}
            class="button"
            aria-describedby={asks}
            href={paymentUrl}
            target="_blank"
            rel="noreferrer"
          >
            Open the payment page
          </a>
          <button type="button" class="quiet" onClick={() => opened(null)}>
            Another amount
          </button>
        </div>
        <p class="muted small">
          It opens in a new tab. This page sees by itself when the money has arrived.
          {mode === 'test' && ' In TEST mode no card is charged: Stripe takes the card 4242 4242 4242 4242.'}
        </p>
      </div>
    );
  }
  return (
    <>
      <LostRequest
        once={once}
        of="by card"
        promise="To find out opens its payment page once at most; nothing is paid before you pay there."
        done={(_amountMinor, topUp) => ready(topUp)}
      />
      <Form send={open} submit="Go on to the payment">
        <Field label={`Amount in ${currency}`} hint="What the balance receives.">
          {(described) => (
            <input
              {...described}
              name="amount"
              inputMode="decimal"
              autocomplete="off"
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
              required
            />
          )}
        </Field>
        <p class="muted small vat-line" aria-live="polite">
          {net !== undefined &&
            (vat > 0n
              ? `The card pays ${amount(net + vat)}: ${amount(vat)} VAT (20%) on top.`
              : `The card pays ${amount(net)}; no VAT.`)}
        </p>
      </Form>
    </>
  );
}
