/** A budget as typed: the end that it pays for at the present target, and what the offer costs meanwhile. It asks for no price of its own. */

import { useMemo } from 'preact/hooks';
import { InputField } from '../../../../../../ui/field.tsx';
import { localText, momentText } from '../../../../../../ui/time-text.ts';
import { readAmount } from '../../../../amounts/amount-fields.ts';
import { useAmounts, useFigures } from '../../../../amounts/amounts.ts';
import { usePortal } from '../../../../session.ts';
import type { Draft } from '../draft.ts';
import { lengthText, minutesFor } from './budget.ts';
import type { Estimate } from './use-estimate.ts';

type BudgetFieldProps = {
  readonly draft: Draft;
  readonly fault: string | undefined;
  readonly set: (part: Partial<Draft>) => void;
  readonly estimate: Estimate;
  readonly start: Date;
};

export function BudgetField({ draft, fault, set, estimate, start }: BudgetFieldProps) {
  const { organisation } = usePortal().session;
  const amount = useAmounts();
  const { countText } = useFigures();
  const { reply, costMinor, isOld } = estimate;
  const read = readAmount(draft.budget, organisation);
  const budget = read.ok ? read.minor : undefined;
  const minutes = budget === undefined || reply === null ? null : minutesFor(budget, reply);
  // "Now" goes on, and the proposal must not change with each look at the page.
  const end = useMemo(
    () => (minutes === null ? null : new Date(start.getTime() + minutes * 60_000)),
    [minutes, draft.starts, draft.startAt],
  );
  const isAbove = budget !== undefined && !isOld && costMinor !== null && costMinor > budget;
  const isTaken = end !== null && draft.runs === 'until' && draft.endAt === localText(end);
  return (
    <div class="budget">
      <InputField
        label={`Budget in ${organisation.currency}`}
        hint="Optional. Enter the most that you want to spend, without VAT. An offer that costs more is not created."
        fault={draft.budget.trim() !== '' && !read.ok ? read.fault : fault}
        inputMode="decimal"
        autocomplete="off"
        value={draft.budget}
        onInput={(event) => set({ budget: event.currentTarget.value })}
      />
      <div class="proposal" aria-live="polite" data-waiting={isOld && end !== null}>
        {budget !== undefined && minutes === 0 && (
          <p>{amount(budget)} pays for less than a minute. Enter more, or choose a smaller audience.</p>
        )}
        {budget !== undefined && minutes !== null && minutes > 0 && end !== null && reply !== null && (
          <>
            <p>
              <strong>{amount(budget)}</strong> pays for <strong>{lengthText(minutes)}</strong>, until{' '}
              {momentText(end.toISOString())}. It reaches{' '}
              <strong class="members">{countText(reply.matching_users)}</strong>{' '}
              {reply.matching_users === 1 ? 'member' : 'members'}.
            </p>
            {isAbove && (
              <p>
                With the end that you chose, it costs <strong>{amount(costMinor)}</strong>.
              </p>
            )}
            {isTaken ? (
              <p class="hint">This is the end of your offer.</p>
            ) : (
              <div>
                <button
                  type="button"
                  class="quiet"
                  onClick={() => set({ runs: 'until', endAt: localText(end) })}
                >
                  Use this end
                </button>
              </div>
            )}
          </>
        )}
      </div>
    </div>
  );
}
