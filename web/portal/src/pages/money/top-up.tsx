/** Fills the balance by card: on the card provider's page, in a tab of its own, while this one waits for the money. */
import type { CardTopUpReply } from '@offer-ads/contracts/billing-api';
import { useRef, useState } from 'preact/hooks';
import { Field } from '../../../../ui/field.tsx';
import { Form, textOf } from '../../../../ui/form.tsx';
import { typedAmount, vatOnCard } from '../../amount-fields.ts';
import { useAmounts } from '../../amounts.ts';
import { usePortal } from '../../session.ts';
import { onceKey } from './once-key.ts';

export type WaitingTopUp = { readonly topUp: CardTopUpReply; readonly balanceBefore: string };

type TopUpProps = {
  readonly waiting: WaitingTopUp | null;
  /** Null: somebody wants another one. */
  readonly opened: (topUp: CardTopUpReply | null) => void;
};

export function TopUp({ waiting, opened }: TopUpProps) {
  const { api, mode, session } = usePortal();
  const { country, currency } = session.organisation;
  const amount = useAmounts();
  const [text, setText] = useState('');
  const keys = useRef(onceKey());
  const net = typedAmount(text, currency);
  const vat = net === undefined ? 0n : vatOnCard(net, country);

  const open = async (values: FormData) => {
    const amountMinor = typedAmount(textOf(values, 'amount'), currency);
    if (amountMinor === undefined) return 'Write an amount such as 250 or 99.50.';
    const reply = await api.send<CardTopUpReply>('POST', `/${mode}/billing/top-ups`, {
      json: { amountMinor: `${amountMinor}` },
      headers: { 'idempotency-key': keys.current.keyFor(`${amountMinor}`) },
      timeoutMs: 15_000,
    });
    if (!reply.ok) return reply.message;
    keys.current.used();
    setText('');
    opened(reply.body);
    return null;
  };

  if (waiting !== null) {
    const { paymentUrl, netMinor, vatMinor } = waiting.topUp;
    return (
      <div class="stack" aria-live="polite">
        <p>
          The payment page asks for <strong>{amount(BigInt(netMinor) + BigInt(vatMinor))}</strong>
          {vatMinor !== '0' && `: ${amount(netMinor)} for the balance and ${amount(vatMinor)} VAT`}.
        </p>
        <div class="row">
          <a class="button" href={paymentUrl} target="_blank" rel="noreferrer">
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
  );
}
