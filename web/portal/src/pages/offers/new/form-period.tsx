/** Start and end of the offer, in the local time zone, and the end that a budget pays for. */
import { lazily } from '@offer-ads/contracts/values/lazily';
import type { ComponentChildren } from 'preact';
import { Choices } from '../../../../../ui/choices.tsx';
import { InputField } from '../../../../../ui/field.tsx';
import { localText, momentText } from '../../../../../ui/time-text.ts';
import { useOfferNow } from '../../../test-clock.ts';
import { periodOf, runsFor } from './draft.ts';
import type { FieldsProps } from './form-texts.tsx';
import { BudgetField } from './price/form-budget.tsx';
import type { Estimate } from './price/use-estimate.ts';

type PeriodFieldsProps = FieldsProps & { readonly estimate: Estimate };

export function PeriodFields({ draft, faults, set, estimate }: PeriodFieldsProps) {
  const now = useOfferNow()();
  const period = periodOf(draft, now);
  const until = () =>
    set({ runs: 'until', ...(draft.endAt === '' && period !== null && { endAt: localText(period.end) }) });
  const later = () => set({ starts: 'later', startAt: draft.startAt || localText(tomorrow(now)) });
  return (
    <>
      <Choices legend="Start" fault={draft.starts === 'now' ? faults.start : undefined}>
        <div class="chips">
          <Chip name="starts" checked={draft.starts === 'now'} choose={() => set({ starts: 'now' })}>
            Now
          </Chip>
          <Chip name="starts" checked={draft.starts === 'later'} choose={later}>
            Later
          </Chip>
        </div>
      </Choices>
      {draft.starts === 'later' && (
        <Moment
          label="Starts"
          fault={faults.start}
          min={localText(now)}
          value={draft.startAt}
          set={(startAt) => set({ startAt })}
        />
      )}
      <Choices legend="Runs for" fault={draft.runs === 'until' ? undefined : faults.end}>
        <div class="chips">
          {runsFor.map(([value, label]) => (
            <Chip key={value} name="runs" checked={draft.runs === value} choose={() => set({ runs: value })}>
              {label}
            </Chip>
          ))}
          <Chip name="runs" checked={draft.runs === 'until'} choose={until}>
            Until …
          </Chip>
        </div>
      </Choices>
      {draft.runs === 'until' && (
        <Moment
          label="Ends"
          fault={faults.end}
          min={localText(now)}
          value={draft.endAt}
          set={(endAt) => set({ endAt })}
        />
      )}
      {period !== null && period.start < period.end && (
        <p class="hint">
          Runs from {draft.starts === 'now' ? 'its creation' : momentText(period.start.toISOString())} until{' '}
          {momentText(period.end.toISOString())}, in your time zone ({zoneText(period.end)}).
        </p>
      )}
      <BudgetField
        draft={draft}
        fault={faults.budget}
        set={set}
        estimate={estimate}
        start={period?.start ?? now}
      />
    </>
  );
}

type ChipProps = {
  readonly name: string;
  readonly checked: boolean;
  readonly choose: () => void;
  readonly children: ComponentChildren;
};

function Chip({ name, checked, choose, children }: ChipProps) {
  return (
    <label class="chip">
      <input type="radio" name={name} checked={checked} onChange={choose} />
      {children}
    </label>
  );
}

type MomentProps = {
  readonly label: string;
  readonly fault: string | undefined;
  readonly min: string;
  readonly value: string;
  readonly set: (value: string) => void;
};

function Moment({ label, fault, min, value, set }: MomentProps) {
  return (
    <InputField
      label={label}
      fault={fault}
      type="datetime-local"
      min={min}
      value={value}
      onInput={(event) => set(event.currentTarget.value)}
    />
  );
}

function tomorrow(now: Date): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1, 9);
}

const zone = lazily(() => new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' }));

/** "Europe/London, GMT" */
function zoneText(at: Date): string {
  const short =
    zone()
      .formatToParts(at)
      .find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const name = zone().resolvedOptions().timeZone.replaceAll('_', ' ');
  return name === short ? name : `${name}, ${short}`;
}
