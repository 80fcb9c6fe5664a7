/** A button whose work takes a moment: no second click while the first is under way. */
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';

type BusyButtonProps = Omit<JSX.HTMLAttributes<HTMLButtonElement>, 'onClick'> & {
  readonly work: () => Promise<unknown>;
  readonly children: ComponentChildren;
};

/** It stays focusable while it is busy: a disabled button would lose the keyboard's place. */
export function BusyButton({ work, children, ...rest }: BusyButtonProps) {
  const [busy, setBusy] = useState(false);
  const run = async () => {
    if (busy) return;
    setBusy(true);
    try {
      await work();
    } finally {
      setBusy(false);
    }
  };
  return (
    <button type="button" {...rest} aria-disabled={busy} onClick={() => void run()}>
      {children}
    </button>
  );
}
