/** The fields for what may be ordered in a day and in a month; an empty one is no limit. */
import type { KeyRights } from '@offer-ads/contracts/values/key-rights';
import type { JSX } from 'preact';
import { usePortal } from '../session.ts';
import { AmountField, type AmountInput, useAmountInput } from './amount-field.tsx';
import { fieldAmount } from './amount-fields.ts';

export type SpendingLimits = Pick<KeyRights, 'spendingPerDayMinor' | 'spendingPerMonthMinor'>;

/** `read`: null when a field is wrong, which it then shows. */
export function useSpendingFields(before: SpendingLimits): {
  readonly fields: JSX.Element;
  readonly read: () => SpendingLimits | null;
} {
  const { organisation } = usePortal().session;
  const amount = (minor: string | null) => (minor === null ? '' : fieldAmount(minor, organisation));
  const perDay = useAmountInput(amount(before.spendingPerDayMinor));
  const perMonth = useAmountInput(amount(before.spendingPerMonthMinor));
  const isWrong = ({ text, read }: AmountInput) => text.trim() !== '' && !read.ok;
  const limitOf = ({ read }: AmountInput) => (read.ok ? `${read.minor}` : null);
  return {
    read: () => {
      const wrong = [perDay, perMonth].filter(isWrong);
      for (const input of wrong) input.showFault();
      return wrong.length > 0
        ? null
        : { spendingPerDayMinor: limitOf(perDay), spendingPerMonthMinor: limitOf(perMonth) };
    },
    fields: (
      <>
        <AmountField
          label={`Spending limit for a day (${organisation.currency}, optional)`}
          hint="From midnight to midnight UTC. Card payments count with VAT."
          input={perDay}
        />
        <AmountField
          label={`Spending limit for a month (${organisation.currency}, optional)`}
          hint="From the first to the last day of a month."
          input={perMonth}
        />
      </>
    ),
  };
}
