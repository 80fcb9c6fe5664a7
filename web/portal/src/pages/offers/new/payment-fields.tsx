/** The payment methods, each with its total, or with the reason why it cannot be chosen. */
import { cardMinimumMinor } from '@offer-ads/contracts/values/currencies';
import { Choices } from '../../../../../ui/choices.tsx';
import { hasVatOnCard, vatOnCard } from '../../../amounts/amount-fields.ts';
import { useAmounts, useBalance } from '../../../amounts/amounts.ts';
import { useBillingDetails } from '../../../organisation.ts';
import { usePortal } from '../../../session.ts';
import type { Draft } from './draft.ts';
import type { Estimate } from './use-estimate.ts';

type PaymentFieldsProps = {
  readonly draft: Draft;
  readonly estimate: Estimate;
  readonly fault: string | undefined;
  readonly disabled: boolean;
  readonly set: (part: Partial<Draft>) => void;
};

export function PaymentFields({ draft, estimate, fault, disabled, set }: PaymentFieldsProps) {
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
      <label class="choice">
        <input
          type="radio"
          name="payment"
          checked={draft.paymentMethod === 'E'}
          disabled={tooSmall}
          onChange={() => set({ paymentMethod: 'E' })}
        />
        By card
      </label>
      <p class="hint">
        {tooSmall
          ? `A card payment must be at least ${amount(least)}.`
          : `${cardText(hasVat, cost === null ? null : { total: amount(cost + vat), vat: amount(vat) })} You pay on the next page${mode === 'live' ? '; your admins get the link by mail too' : ''}.`}
      </p>
      {hasNoAddress && draft.paymentMethod === 'E' && !tooSmall && (
        <p class="small">
          The invoice would show no address of your organisation, and it cannot be changed later.{' '}
          <a href={`${at('settings')}#billing-details`}>Add the address in Settings</a> first. Your draft is
          kept here; the picture is kept unless you reload the page.
        </p>
      )}
      <label class="choice">
        <input
          type="radio"
          name="payment"
          checked={draft.paymentMethod === 'B'}
          disabled={tooLow && draft.paymentMethod !== 'B'}
          onChange={() => set({ paymentMethod: 'B' })}
        />
        From the {mode.toUpperCase()} balance
      </label>
      <p class="hint">
        Paid at once.{' '}
        {hasVat ? 'No VAT is added, because it was paid when the balance was topped up.' : 'No VAT is added.'}{' '}
        {!may('billing') &&
          'Only admins and people of finance see the balance. If it is too low, nothing is created.'}
        {held !== null && `The balance is ${amount(held)}.`}
        {tooLow && cost !== null && held !== null && ` You are ${amount(cost - held)} short.`}
      </p>
      {(tooLow || fault !== undefined) && may('billing') && (
        <p class="small">
          <a href={at('money')}>Top up the balance</a>. Your draft is kept here; the picture is kept unless
          you reload the page.
        </p>
      )}
    </Choices>
  );
}

function cardText(hasVat: boolean, cost: { readonly total: string; readonly vat: string } | null): string {
  if (!hasVat) return cost === null ? 'No VAT is added.' : `${cost.total}. No VAT is added.`;
  return cost === null ? '20% VAT is added.' : `${cost.total} with 20% VAT (${cost.vat}).`;
}
