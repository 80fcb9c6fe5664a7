/** Adds money to an organisation's balance, as the admin tool does with `balance top-up`. */
import { formatMinor, parseAmount } from '@offer-ads/contracts/values/currencies';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import { InputField } from '../../../ui/field.tsx';
import { textOf } from '../../../ui/form.tsx';
import { ReasonDialog } from '../reason-dialog.tsx';
import { useConsole } from '../session.ts';

type AddMoneyDialogProps = {
  readonly organisationId: number;
  readonly mode: Mode;
  readonly currency: string;
  readonly close: (done: boolean) => void;
};

export function AddMoneyDialog({ organisationId, mode, currency, close }: AddMoneyDialogProps) {
  const { send } = useConsole();
  return (
    <ReasonDialog
      title={`Add money to the ${mode} balance`}
      submit="Add it"
      act={async ({ reason, values, seenAt }) => {
        const amountMinor = parseAmount(textOf(values, 'amount').trim(), currency);
        if (amountMinor === undefined || amountMinor <= 0n) {
          const message = `Amount: write a number above zero such as ${formatMinor(125_050n, currency)}`;
          return { ok: false as const, status: 400, returnCode: null, message };
        }
        const topUp = { organisationId, mode, currency, amountMinor: `${amountMinor}`, reason };
        return send('/billing/balances/top-up', { ...topUp, reference: textOf(values, 'reference') }, seenAt);
      }}
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
