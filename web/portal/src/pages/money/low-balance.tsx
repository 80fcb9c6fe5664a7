/** The threshold below which those who see the balance get a mail. */
import type { LowBalanceReply } from '@offer-ads/contracts/internal/billing-api';
import { Form } from '../../../../ui/form.tsx';
import { Loaded } from '../../../../ui/states.tsx';
import { AmountField, useAmountInput } from '../../amounts/amount-field.tsx';
import { fieldAmount } from '../../amounts/amount-fields.ts';
import { useAmounts } from '../../amounts/amounts.ts';
import { usePortal } from '../../session.ts';
import { useMoneyChanged, useThreshold } from './money-data.ts';

export function LowBalance() {
  const threshold = useThreshold();
  return (
    <Loaded query={threshold} what="the threshold" lines={3}>
      {(data) => <Threshold of={data} />}
    </Loaded>
  );
}

function Threshold({ of: { isLow, thresholdMinor } }: { readonly of: LowBalanceReply }) {
  const { api, mode, session } = usePortal();
  const { organisation } = session;
  const amount = useAmounts();
  const input = useAmountInput(thresholdMinor === null ? '' : fieldAmount(thresholdMinor, organisation));
  const changed = useMoneyChanged();

  const save = async () => {
    const { text, read } = input;
    const isEmpty = text.trim() === '';
    if (!isEmpty && !read.ok) {
      input.showFault();
      return undefined;
    }
    const minor = read.ok ? read.minor : null;
    const reply = await api.send<LowBalanceReply>('PUT', `/${mode}/billing/low-balance-threshold`, {
      json: { thresholdMinor: minor === null ? null : `${minor}` },
    });
    if (!reply.ok) return reply.message;
    await changed();
    return null;
  };

  return (
    <>
      {isLow && thresholdMinor !== null && (
        <p class="notice warning">
          The balance is below {amount(thresholdMinor)}: those who may see it got a mail.
        </p>
      )}
      <Form send={save} submit="Save" kind="quiet" label="Low balance" saved="Saved.">
        <AmountField
          label={`Warn me when the balance is below (${organisation.currency})`}
          hint="Admins and people of finance get a mail when the balance falls below it. Leave it empty for no mails."
          input={input}
        />
      </Form>
    </>
  );
}
