/** The form that adds play money in TEST mode, at once and without a card. */
import type { PlayMoneyReply } from '@offer-ads/contracts/internal/billing-api';
import { Form } from '../../../../ui/form.tsx';
import { AmountField, useAmountInput } from '../../amounts/amount-field.tsx';
import { useAmounts } from '../../amounts/amounts.ts';
import { usePortal } from '../../session.ts';
import { useAskOnce } from './ask-once.ts';
import { LostRequest } from './lost-request.tsx';
import { useMoneyChanged } from './money-data.ts';

export function PlayMoney({ added }: { readonly added: (text: string) => void }) {
  const { session } = usePortal();
  const { currency } = session.organisation;
  const amount = useAmounts();
  const changed = useMoneyChanged();
  const input = useAmountInput('1000');
  const once = useAskOnce<PlayMoneyReply>('play-money', '/test/billing/play-money');

  const done = async (amountMinor: bigint) => {
    await changed();
    added(`${amount(amountMinor)} of play money was added.`);
  };
  const add = async () => {
    const { read } = input;
    if (!read.ok) {
      input.showFault();
      return null;
    }
    const asked = await once.ask(read.minor);
    if (asked.outcome === 'refused') return asked.message;
    if (asked.outcome === 'done') await done(read.minor);
    return null;
  };

  return (
    <>
      <LostRequest once={once} of="of play money" promise="“Find out” adds it at most once." done={done} />
      <Form send={add} submit="Add play money" kind="quiet">
        <AmountField
          label={`Play money in ${currency}`}
          hint="Needs no card and has no invoice."
          input={input}
          required
        />
      </Form>
    </>
  );
}
