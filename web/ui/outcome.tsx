/** A message about a finished action. It takes the focus, because the pressed button may be gone; screen readers then read it. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Give it a `key` per action, so that the next one takes the focus again. */
export function Outcome({ children }: { readonly children: ComponentChildren }) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => element.current?.focus(), []);
  return (
    <div ref={element} class="notice good outcome" tabIndex={-1}>
      {children}
    </div>
  );
}
