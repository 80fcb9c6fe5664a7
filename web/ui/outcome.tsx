/** What has just been done. It takes the focus, because what was pressed for it may be gone; so it is read out as well. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Give it a `key` of what was done: the next one takes the focus anew. */
export function Outcome({ children }: { readonly children: ComponentChildren }) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => element.current?.focus(), []);
  return (
    <div ref={element} class="notice good outcome" tabIndex={-1}>
      {children}
    </div>
  );
}
