/** The threshold below which admins get a mail. */
import type { LowBalanceReply } from '@offer-ads/contracts/internal/billing-api';
import { useState } from 'preact/hooks';
import { Field } from '../../../../ui/field.tsx';
import { Form, textOf } from '../../../../ui/form.tsx';
import { Failed, Loading } from '../../../../ui/states.tsx';
import { fieldAmount, typedAmount } from '../../amount-fields.ts';
import { useAmounts } from '../../amounts.ts';
import { usePortal } from '../../session.ts';
import { useMoneyChanged, useThreshold } from './money-data.ts';

export function LowBalance() {
  const { api, mode, session } = usePortal();
  const { currency } = session.organisation;
  const amount = useAmounts();
  const threshold = useThreshold();
  const changed = useMoneyChanged();
  const [saved, setSaved] = useState(false);

  const save = async (values: FormData) => {
    setSaved(false);
    const text = textOf(values, 'threshold');
    const minor = text === '' ? null : typedAmount(text, currency);
    if (minor === undefined) return 'Enter an amount such as 50, or leave the field empty for no mails.';
    const reply = await api.send<LowBalanceReply>('PUT', `/${mode}/billing/low-balance-threshold`, {
      json: { thresholdMinor: minor === null ? null : `${minor}` },
    });
    if (!reply.ok) return reply.message;
    setSaved(true);
    await changed();
    return null;
  };

  if (threshold.isPending) return <Loading what="the threshold" lines={3} />;
  if (threshold.isError) return <Failed error={threshold.error} retry={threshold.refetch} />;
  const { thresholdMinor, isLow } = threshold.data;
  return (
    <>
      {isLow && thresholdMinor !== null && (
        <p class="notice warning">The balance is below {amount(thresholdMinor)}: your admins got a mail.</p>
      )}
      <Form send={save} submit="Save" kind="quiet" label="Low balance">
        <Field
          label={`Send a mail below (${currency})`}
          hint="Your admins get a mail when the balance falls below it. Leave it empty for no mails."
        >
          {(described) => (
            <input
              {...described}
              name="threshold"
              inputMode="decimal"
              autocomplete="off"
              defaultValue={thresholdMinor === null ? '' : fieldAmount(thresholdMinor, currency)}
              onInput={() => setSaved(false)}
            />
          )}
        </Field>
        <p role="status" class="small vat-line">
          {saved && 'Saved.'}
        </p>
      </Form>
    </>
  );
}
