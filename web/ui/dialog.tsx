/** A modal dialog, using the browser's own element, which keeps the focus inside. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

type DialogProps = {
  readonly title: string;
  /** Called also after Escape. */
  readonly close: () => void;
  /** The content would be lost: neither Escape nor a gesture closes the dialog, only its own buttons. */
  readonly stays?: boolean;
  readonly children: ComponentChildren;
};

/** Open while it is rendered. Afterwards the focus returns to its previous place. */
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
        // Browsers close a dialog at a second Escape even if the first one was prevented, so open it again.
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
