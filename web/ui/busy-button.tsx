/** A button for asynchronous work. It ignores clicks while the work is running. */
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';

type BusyButtonProps = Omit<JSX.HTMLAttributes<HTMLButtonElement>, 'onClick'> & {
  readonly work: () => Promise<unknown>;
  readonly children: ComponentChildren;
};

/** It stays focusable while it is busy, because a disabled button would lose the focus. */
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
