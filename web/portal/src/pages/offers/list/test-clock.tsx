/** Moves the time of the TEST offers forward, and shows it. */
import type { TestClockReply } from '@offer-ads/contracts/public/api';
import { useQueryClient } from '@tanstack/preact-query';
import { BusyButton } from '../../../../../ui/busy-button.tsx';
import { InputField } from '../../../../../ui/field.tsx';
import { Form, textOf } from '../../../../../ui/form.tsx';
import { useOutcome } from '../../../../../ui/outcome.tsx';
import { localText, momentText } from '../../../../../ui/time-text.ts';
import { usePortal } from '../../../session.ts';
import { useOfferNow, useTestClock } from '../../../test-clock.ts';

const HOUR = 3_600;
const steps = [
  ['1 hour', HOUR],
  ['1 day', 24 * HOUR],
  ['7 days', 7 * 24 * HOUR],
] as const;

export function TestClock() {
  const { api, at, scope } = usePortal();
  const queries = useQueryClient();
  const clock = useTestClock();
  const now = useOfferNow();
  const { outcome, report, clear } = useOutcome();

  /** @returns the refusal, or null */
  const change = async (method: 'POST' | 'DELETE', json?: object): Promise<string | null> => {
    const reply = await api.send<TestClockReply>(method, '/test/clock', json === undefined ? {} : { json });
    // Everything that is shown of this organisation's TEST mode may have changed. After a lost reply too, the page shows what is so.
    await queries.invalidateQueries({ queryKey: scope });
    if (!reply.ok) return reply.message;
    report(true, `The time of your TEST offers is ${momentText(reply.body.now)}.`);
    return null;
  };
  const press = async (method: 'POST' | 'DELETE', json?: object) => {
    const refusal = await change(method, json);
    if (refusal !== null) report(false, refusal);
  };
  const moveTo = async (values: FormData) => {
    const at = new Date(textOf(values, 'now'));
    if (Number.isNaN(at.getTime())) return 'now: Choose a day and a time.';
    clear();
    return change('POST', { now: at.toISOString() });
  };

  return (
    <details class="test-clock">
      <summary>Test clock</summary>
      <div class="stack">
        <p class="hint">
          Move the time of your TEST offers forward, and they start and end as if it had passed, with credits
          and webhooks, and with mails if you want those of TEST mode (<a href={at('settings')}>Settings</a>).
          Keys of TEST mode share this clock.
        </p>
        {outcome}
        {clock.isSuccess && (
          <p>
            Their time is now <strong>{momentText(now().toISOString())}</strong>
            {clock.data.offset_seconds === 0 ? ', the real time.' : '.'}
          </p>
        )}
        <div class="row">
          {steps.map(([text, seconds]) => (
            <BusyButton key={text} class="quiet" work={() => press('POST', { advance_seconds: seconds })}>
              + {text}
            </BusyButton>
          ))}
          {clock.data !== undefined && clock.data.offset_seconds > 0 && (
            <BusyButton class="quiet" work={() => press('DELETE')}>
              Back to the real time
            </BusyButton>
          )}
        </div>
        <Form send={moveTo} submit="Move the clock" kind="quiet" label="Move the test clock to a moment">
          <InputField
            label="To a moment"
            name="now"
            placesFaults
            type="datetime-local"
            min={localText(now())}
            required
          />
        </Form>
      </div>
    </details>
  );
}
