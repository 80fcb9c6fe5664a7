/** The period of figures: the last days, or a first and a last day that the person chooses. */
import { type DayRange, faultOfDays } from '@offer-ads/contracts/values/day-range';
import { useState } from 'preact/hooks';
import { InputField } from '../../ui/field.tsx';
import { Form, textOf } from '../../ui/form.tsx';
import { useTimeZone } from './organisation.ts';
import { useOfferNow } from './test-clock.ts';

type PeriodChoiceProps<Last extends string> = {
  readonly title: string;
  /** Of the title. */
  readonly id: string;
  readonly of: readonly (readonly [last: Last, text: string])[];
  readonly period: Last | DayRange;
  readonly show: (period: Last | DayRange) => void;
  /** The first day that the form proposes. */
  readonly since: Date;
};

export function PeriodChoice<Last extends string>(o: PeriodChoiceProps<Last>) {
  const [isChoosing, setChoosing] = useState(typeof o.period !== 'string');
  const choice = (text: string, isChosen: boolean, choose: () => void) => (
    <button key={text} type="button" class={isChosen ? '' : 'quiet'} aria-pressed={isChosen} onClick={choose}>
      {text}
    </button>
  );
  return (
    <>
      <div class="row spread">
        <h2 id={o.id}>{o.title}</h2>
        <div class="intervals" role="group" aria-label="Period">
          {o.of.map(([last, text]) =>
            choice(text, last === o.period && !isChoosing, () => {
              setChoosing(false);
              o.show(last);
            }),
          )}
          {choice('Dates', isChoosing, () => setChoosing(true))}
        </div>
      </div>
      {isChoosing && <ChooseDays since={o.since} show={o.show} />}
    </>
  );
}

function ChooseDays({ since, show }: { readonly since: Date; readonly show: (days: DayRange) => void }) {
  const now = useOfferNow();
  const timeZone = useTimeZone() ?? 'UTC';
  const dayOf = (at: Date) => new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(at);
  const today = dayOf(now());
  const choose = async (values: FormData) => {
    const days = { from: textOf(values, 'from'), to: textOf(values, 'to') };
    const fault = faultOfDays(days);
    if (fault !== null) return `${fault.path}: ${fault.message}`;
    show(days);
    return null;
  };
  return (
    <div class="day-range">
      <Form send={choose} submit="Show" kind="quiet" label="Dates">
        <div class="pair">
          <InputField
            label="From"
            name="from"
            type="date"
            required
            max={today}
            defaultValue={dayOf(since)}
            placesFaults
          />
          <InputField
            label="To"
            name="to"
            type="date"
            required
            max={today}
            defaultValue={today}
            placesFaults
          />
        </div>
      </Form>
    </div>
  );
}
