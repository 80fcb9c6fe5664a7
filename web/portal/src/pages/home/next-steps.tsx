/** The remaining steps to a running offer. */
import { usePortal } from '../../session.ts';
import type { Step } from './steps.ts';

export function NextSteps({ steps }: { readonly steps: readonly Step[] }) {
  const { at } = usePortal();
  const next = steps.find(({ done }) => !done);
  if (next === undefined) return null;
  const done = steps.filter((step) => step.done).length;
  return (
    <section class="card" aria-labelledby="next">
      <div class="row spread">
        <h2 id="next">What to do next</h2>
        <span class="muted small">
          {done} of {steps.length} done
        </span>
      </div>
      <ol class="steps">
        {steps.map((step) => (
          <li key={step.title} data-done={step.done}>
            <span class="mark" aria-hidden="true">
              {step.done ? '✓' : ''}
            </span>
            <div>
              <strong>{step.title}</strong>
              {step.done ? <span class="hidden">: done</span> : <p class="muted">{step.why}</p>}
            </div>
            {!step.done && (
              <a class={step === next ? 'button' : 'button quiet'} href={at(step.page)}>
                {step.action}
              </a>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
