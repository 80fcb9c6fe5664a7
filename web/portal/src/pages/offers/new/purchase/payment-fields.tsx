/** The payment methods, each with its total, or with the reason why it cannot be chosen. */
import { cardMinimumMinor } from '@offer-ads/contracts/values/currencies';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Choices } from '../../../../../../ui/choices.tsx';
import { hasVatOnCard, vatOnCard } from '../../../../amounts/amount-fields.ts';
import { useAmounts, useBalance } from '../../../../amounts/amounts.ts';
import { useBillingDetails } from '../../../../organisation.ts';
import { usePortal } from '../../../../session.ts';
import type { Draft } from '../draft.ts';
import type { Estimate } from '../price/use-estimate.ts';

type PaymentFieldsProps = {
  readonly draft: Pick<Draft, 'paymentMethod'>;
  readonly estimate: Pick<Estimate, 'costMinor' | 'isFirstDone'>;
  readonly fault: string | undefined;
  readonly disabled: boolean;
  /** What was entered is there again when the person comes back. */
  readonly isDraftKept?: boolean;
  readonly set: (part: Pick<Draft, 'paymentMethod'>) => void;
};

export function PaymentFields(o: PaymentFieldsProps) {
  const { draft, estimate, fault, disabled, isDraftKept = false, set } = o;
  const { session, may, at, mode } = usePortal();
  const { country, currency } = session.organisation;
  const amount = useAmounts();
  const balance = useBalance({ everyMs: 20_000 });
  const cost = estimate.costMinor;
  const held = balance.data === undefined ? null : BigInt(balance.data.balanceMinor);
  const tooLow = cost !== null && held !== null && held < cost;
  const least = cardMinimumMinor(currency) ?? 0n;
  const tooSmall = cost !== null && cost > 0n && cost < least;
  const hasVat = hasVatOnCard(country);
  const vat = cost === null ? 0n : vatOnCard(cost, country);
  const billing = useBillingDetails({ enabled: may('billing') && estimate.isFirstDone });
  const hasNoAddress = billing.data?.address.length === 0;
  return (
    <Choices legend="Payment" fault={fault} disabled={disabled}>
      {mode === 'live' && <p class="hint">LIVE mode: you pay real money, and members see the offer.</p>}
      <PaymentOption
        title="By card"
        total={cost === null || tooSmall ? null : amount(cost + vat)}
        isChosen={draft.paymentMethod === 'E'}
        disabled={tooSmall}
        choose={() => set({ paymentMethod: 'E' })}
      >
        {tooSmall
          ? `A card payment must be at least ${amount(least)}.`
          : `${vatText(hasVat, cost === null ? null : amount(vat))} You pay on the next page${mode === 'live' ? '; your admins get the link by mail too' : ''}.`}
      </PaymentOption>
      <PaymentOption
        title={`From the ${mode.toUpperCase()} balance`}
        total={cost === null ? null : amount(cost)}
        isChosen={draft.paymentMethod === 'B'}
        disabled={tooLow && draft.paymentMethod !== 'B'}
        choose={() => set({ paymentMethod: 'B' })}
      >
        {hasVat ? 'No VAT: it was paid with the top-up.' : 'No VAT is added.'}{' '}
        {!may('billing') &&
          'Only admins and people of finance see the balance. If it is too low, nothing is created.'}
        {held !== null && `You have ${amount(held)}.`}
        {tooLow && cost !== null && held !== null && ` You are ${amount(cost - held)} short.`}
      </PaymentOption>
      {hasNoAddress && draft.paymentMethod === 'E' && !tooSmall && (
        <p class="small">
          The invoice would show no address of your organisation, and it cannot be changed later.{' '}
          <a href={`${at('settings')}#billing-details`}>Add the address in Settings</a> first
          {isDraftKept && ': your draft is kept'}.
        </p>
      )}
      {draft.paymentMethod === 'B' && (tooLow || fault !== undefined) && may('billing') && (
        <p class="small">
          <a href={at('money')}>Top up the balance</a> first
          {isDraftKept && ': your draft is kept, and its picture unless you reload the page'}.
        </p>
      )}
    </Choices>
  );
}

type PaymentOptionProps = {
  readonly title: string;
  /** Null while there is no price. */
  readonly total: string | null;
  readonly isChosen: boolean;
  readonly disabled: boolean;
  readonly choose: () => void;
  readonly children: ComponentChildren;
};

function PaymentOption({ title, total, isChosen, disabled, choose, children }: PaymentOptionProps) {
  const id = useId();
  return (
    <label class="option">
      <input
        type="radio"
        name="payment"
        aria-labelledby={`${id}-title`}
        aria-describedby={`${id}-more`}
        checked={isChosen}
        disabled={disabled}
        onChange={choose}
      />
      <span id={`${id}-title`}>{title}</span>
      <span id={`${id}-more`} class="option-more">
        {total !== null && <strong class="option-total">{total}</strong>}
        <span class="hint">{children}</span>
      </span>
    </label>
  );
}

function vatText(hasVat: boolean, vat: string | null): string {
  if (!hasVat) return 'No VAT is added.';
  return vat === null ? 'With 20% VAT.' : `With ${vat} VAT (20%).`;
}
