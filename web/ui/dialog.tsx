/** A question that must be answered before anything else: the browser's own modal dialog, which keeps the keyboard inside. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

type DialogProps = {
  readonly title: string;
  /** Also when Escape is pressed. */
  readonly close: () => void;
  /** What is shown is lost with it: neither Escape nor a gesture closes it, only what stands inside. */
  readonly stays?: boolean;
  readonly children: ComponentChildren;
};

/** Open as long as it is rendered; the focus then goes back to where it was. */
export function Dialog({ title, close, stays = false, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      class="stack"
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        if (!stays) close();
      }}
      onClose={() => {
        // A second Escape closes it whatever was said to the first.
        if (element.current?.isConnected !== true) return;
        if (stays) element.current.showModal();
        else close();
      }}
    >
      <h2 id={heading}>{title}</h2>
      {children}
    </dialog>
  );
}
