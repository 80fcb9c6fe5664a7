/** Fields that most people leave alone: closed until somebody opens them, or one of them needs attention. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

type MoreProps = {
  readonly summary: string;
  /** Opens the fields whenever it changes to another text than ''. */
  readonly attention: string;
  readonly children: ComponentChildren;
};

export function More({ summary, attention, children }: MoreProps) {
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (attention !== '' && details.current !== null) details.current.open = true;
  }, [attention]);
  return (
    <details ref={details} class="more">
      <summary>{summary}</summary>
      <div class="stack">{children}</div>
    </details>
  );
}
