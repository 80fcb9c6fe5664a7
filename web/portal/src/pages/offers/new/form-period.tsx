/** Start and duration of the offer, in the local time zone. */
import { Choices } from '../../../../../ui/choices.tsx';
import { Field } from '../../../../../ui/field.tsx';
import { localText, momentText } from '../../../../../ui/time-text.ts';
import { periodOf, runsFor } from './draft.ts';
import type { FieldsProps } from './form-texts.tsx';

export function PeriodFields({ draft, faults, set }: FieldsProps) {
  const now = new Date();
  const period = periodOf(draft, now);
  return (
    <>
      <Choices legend="Start" fault={draft.starts === 'now' ? faults.start : undefined}>
        <div class="chips">
          <label class="chip">
            <input
              type="radio"
              name="starts"
              checked={draft.starts === 'now'}
              onChange={() => set({ starts: 'now' })}
            />
            Now
          </label>
          <label class="chip">
            <input
              type="radio"
              name="starts"
              checked={draft.starts === 'later'}
              onChange={() =>
                set({
                  starts: 'later',
                  startAt: draft.startAt === '' ? localText(tomorrow(now)) : draft.startAt,
                })
              }
            />
            Later
          </label>
        </div>
      </Choices>
      {draft.starts === 'later' && (
        <Field label="Starts" fault={faults.start}>
          {(described) => (
            <input
              {...described}
              type="datetime-local"
              min={localText(now)}
              value={draft.startAt}
              onInput={(event) => set({ startAt: event.currentTarget.value })}
            />
          )}
        </Field>
      )}
      <Choices legend="Runs for" fault={draft.runs === 'until' ? undefined : faults.end}>
        <div class="chips">
          {[...runsFor, ['until', 'Until …'] as const].map(([value, label]) => (
            <label key={value} class="chip">
              <input
                type="radio"
                name="runs"
                checked={draft.runs === value}
                onChange={() =>
                  set({
                    runs: value,
                    ...(value === 'until' && draft.endAt === '' && period !== null
                      ? { endAt: localText(period.end) }
                      : {}),
                  })
                }
              />
              {label}
            </label>
          ))}
        </div>
      </Choices>
      {draft.runs === 'until' && (
        <Field label="Ends" fault={faults.end}>
          {(described) => (
            <input
              {...described}
              type="datetime-local"
              min={localText(now)}
              value={draft.endAt}
              onInput={(event) => set({ endAt: event.currentTarget.value })}
            />
          )}
        </Field>
      )}
      {period !== null && (
        <p class="hint">
          {draft.starts === 'now' ? 'From its creation' : momentText(period.start.toISOString())} until{' '}
          {momentText(period.end.toISOString())}, in your time zone ({zoneText(period.end)}).
        </p>
      )}
    </>
  );
}

function tomorrow(now: Date): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1, 9);
}

const zone = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' });

/** "Europe/London, GMT" */
function zoneText(at: Date): string {
  const short = zone.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  return `${zone.resolvedOptions().timeZone.replaceAll('_', ' ')}, ${short}`;
}
