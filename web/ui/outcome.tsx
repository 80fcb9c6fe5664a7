/** The message about a finished action. */
import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Notice } from './notice.tsx';

/**
 * It takes the focus, because the pressed button may be gone; screen readers then read it. Give it a `key` per action, so that the next
 * one takes the focus again.
 */
export function Outcome({ children }: { readonly children: ComponentChildren }) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => element.current?.focus(), []);
  return (
    <div ref={element} class="notice good outcome" tabIndex={-1}>
      {children}
    </div>
  );
}

export type Report = (isGood: boolean, words: ComponentChildren) => void;

/** For a page with several actions: each calls `report` at its end, and `outcome` is the message about the last one. */
export function useOutcome() {
  const [last, setLast] = useState<VNode | null>(null);
  const report: Report = (isGood, words) => {
    const key = crypto.randomUUID();
    setLast(
      isGood ? (
        <Outcome key={key}>{words}</Outcome>
      ) : (
        <Notice key={key} kind="problem">
          {words}
        </Notice>
      ),
    );
  };
  return { outcome: last, report, clear: () => setLast(null) };
}
