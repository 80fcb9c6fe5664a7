/** Adds money to an organisation's balance, as the admin tool does with `balance top-up`. */
import { formatMinor, parseAmount } from '@offer-ads/contracts/values/currencies';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import { InputField } from '../../../ui/field.tsx';
import { textOf } from '../../../ui/form.tsx';
import { type CloseWithMessage, ReasonDialog } from '../reason-dialog.tsx';

type AddMoneyDialogProps = {
  readonly organisationId: number;
  readonly mode: Mode;
  readonly currency: string;
  readonly close: CloseWithMessage;
};

export function AddMoneyDialog({ organisationId, mode, currency, close }: AddMoneyDialogProps) {
  return (
    <ReasonDialog
      title={`Add money to the ${mode} balance`}
      submit="Add it"
      act={(send, values) => {
        const amountMinor = parseAmount(textOf(values, 'amount'), currency);
        if (amountMinor === undefined || amountMinor <= 0n)
          return `Amount: write a number above zero such as ${formatMinor(125_050n, currency)}`;
        return send('/billing/balances/top-up', {
          organisationId,
          mode,
          currency,
          amountMinor: `${amountMinor}`,
          reference: textOf(values, 'reference'),
        });
      }}
      done={() => `The money is on the ${mode} balance.`}
      close={close}
    >
      <p>It cannot be taken back, it has no invoice, and the organisation’s admins get a mail.</p>
      <InputField
        label={`Amount in ${currency}`}
        name="amount"
        inputmode="decimal"
        autocomplete="off"
        maxLength={20}
        required
      />
      <InputField
        label="Reference"
        hint="Of the payment or the case. The organisation reads it in its statement. One reference is booked once."
        name="reference"
        autocomplete="off"
        maxLength={200}
        required
      />
    </ReasonDialog>
  );
}
