/** Money to try everything with, in TEST mode: at once, without a card. */
import type { PlayMoneyReply } from '@offer-ads/contracts/billing-api';
import { useRef } from 'preact/hooks';
import { Field } from '../../../../ui/field.tsx';
import { Form, textOf } from '../../../../ui/form.tsx';
import { typedAmount } from '../../amount-fields.ts';
import { useAmounts } from '../../amounts.ts';
import { usePortal } from '../../session.ts';
import { useMoneyChanged } from './money-data.ts';
import { onceKey } from './once-key.ts';

export function PlayMoney({ added }: { readonly added: (text: string) => void }) {
  const { api, session } = usePortal();
  const { currency } = session.organisation;
  const amount = useAmounts();
  const changed = useMoneyChanged();
  const keys = useRef(onceKey());

  const add = async (values: FormData) => {
    const amountMinor = typedAmount(textOf(values, 'amount'), currency);
    if (amountMinor === undefined) return 'Write an amount such as 250 or 99.50.';
    const reply = await api.send<PlayMoneyReply>('POST', '/test/billing/play-money', {
      json: { amountMinor: `${amountMinor}` },
      headers: { 'idempotency-key': keys.current.keyFor(`${amountMinor}`) },
    });
    if (!reply.ok) return reply.message;
    keys.current.used();
    await changed();
    added(`${amount(amountMinor)} of play money were added.`);
    return null;
  };

  return (
    <Form send={add} submit="Add play money">
      <Field label={`Play money in ${currency}`} hint="No card, no payment, no invoice.">
        {(described) => (
          <input
            {...described}
            name="amount"
            inputMode="decimal"
            autocomplete="off"
            defaultValue="1000"
            required
          />
        )}
      </Field>
    </Form>
  );
}
