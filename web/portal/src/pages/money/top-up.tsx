/** The top-up by card. The card provider's page opens in a new tab; after that the link is shown until money.tsx sees the money. */
import type { CardTopUpReply } from '@offer-ads/contracts/internal/billing-api';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Form } from '../../../../ui/form.tsx';
import { AmountField, useAmountInput } from '../../amounts/amount-field.tsx';
import { vatOnCard } from '../../amounts/amount-fields.ts';
import { useAmounts } from '../../amounts/amounts.ts';
import { usePortal } from '../../session.ts';
import { useAskOnce } from './ask-once.ts';
import { LostRequest } from './lost-request.tsx';

/** `balanceBefore`: undefined until the balance is read. */
export type WaitingTopUp = { readonly topUp: CardTopUpReply; readonly balanceBefore: string | undefined };

type TopUpProps = {
  readonly waiting: WaitingTopUp | null;
  /** Called with the top-up whose page was opened; with null when the person wants another amount. */
  readonly onOpened: (topUp: CardTopUpReply | null) => void;
};

export function TopUp({ waiting, onOpened }: TopUpProps) {
  const { mode, session } = usePortal();
  const { country, currency } = session.organisation;
  const amount = useAmounts();
  const input = useAmountInput();
  const once = useAskOnce<CardTopUpReply>('top-up', `/${mode}/billing/top-ups`);
  const net = input.read.ok ? input.read.minor : undefined;
  const vat = net === undefined ? 0n : vatOnCard(net, country);

  const ready = (topUp: CardTopUpReply) => {
    input.set('');
    onOpened(topUp);
  };
  const open = async () => {
    if (net === undefined) {
      input.showFault();
      return null;
    }
    const asked = await once.ask(net);
    if (asked.outcome === 'refused') return asked.message;
    if (asked.outcome === 'done') ready(asked.body);
    // Refused above, or done; if the outcome is unknown, LostRequest shows it.
    return null;
  };

  const link = useRef<HTMLAnchorElement>(null);
  const asks = useId();
  const isWaiting = waiting !== null;
  // The pressed button no longer exists, so move the focus.
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
          <button type="button" class="quiet" onClick={() => onOpened(null)}>
            Another amount
          </button>
        </div>
        <p class="muted small">
          It opens in a new tab. This page updates by itself when the money has arrived.
          {mode === 'test' && ' In TEST mode no card is charged: use the test card 4242 4242 4242 4242.'}
        </p>
      </div>
    );
  }
  return (
    <>
      <LostRequest
        once={once}
        of="by card"
        promise="“Find out” opens at most one payment page; you pay only if you confirm the payment there."
        done={(_amountMinor, topUp) => ready(topUp)}
      />
      <Form send={open} submit="Continue to payment">
        <AmountField
          label={`Amount in ${currency}`}
          hint="The amount that is added to the balance."
          input={input}
          required
        />
        <p class="muted small vat-line" aria-live="polite">
          {net !== undefined &&
            (vat > 0n
              ? `The card pays ${amount(net + vat)}, including ${amount(vat)} VAT (20%).`
              : `The card pays ${amount(net)}, without VAT.`)}
        </p>
      </Form>
    </>
  );
}
