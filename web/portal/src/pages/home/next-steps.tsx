/** The remaining steps to a running offer. */
import { usePortal } from '../../session.ts';
import type { Step } from './steps.ts';

export function NextSteps({ steps }: { readonly steps: readonly Step[] }) {
  const { at } = usePortal();
  const left = steps.filter(({ done }) => !done);
  if (left.length === 0) return null;
  return (
    <section class="card" aria-labelledby="next">
      <div class="row spread">
        <h2 id="next">What to do next</h2>
        <span class="muted small">
          {steps.length - left.length} of {steps.length} done
        </span>
      </div>
      <ol class="steps">
        {steps.map((step, index) =>
          step.done ? null : (
            <li key={step.title}>
              <span class="step-number" aria-hidden="true">
                {index + 1}
              </span>
              <div>
                <strong>{step.title}</strong>
                <p class="muted">{step.why}</p>
              </div>
              <a class="button quiet" href={at(step.page)}>
                {step.action}
              </a>
            </li>
          ),
        )}
      </ol>
    </section>
  );
}
