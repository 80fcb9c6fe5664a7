/** Shows a new secret once. The dialog cannot be closed by accident; closing it removes the secret from memory. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { CopyButton } from './copy-button.tsx';
import { Dialog } from './dialog.tsx';

type ShownOnceProps = {
  readonly title: string;
  readonly secret: string;
  readonly copyLabel: string;
  readonly stored: () => void;
  /** Shown below the secret. */
  readonly children?: ComponentChildren;
};

export function ShownOnce({ title, secret, copyLabel, stored, children }: ShownOnceProps) {
  const first = useRef<HTMLParagraphElement>(null);
  // Focus the text first, so that a screen reader reads it before the buttons.
  useEffect(() => first.current?.focus(), []);
  useEffect(staysHere, []);
  return (
    <Dialog title={title} close={stored} stays>
      <p ref={first} tabIndex={-1} class="outcome">
        This is the only time that it is shown. Copy it to the place where you store secrets.
      </p>
      <div class="stack secret">
        <code class="whole">{secret}</code>
        <div class="row">
          <CopyButton text={secret} label={copyLabel} />
        </div>
      </div>
      {children}
      <div class="row">
        <button type="button" onClick={stored}>
          I have stored it
        </button>
      </div>
    </Dialog>
  );
}

/** The browser asks before Back or a reload leaves the page. */
function staysHere(): () => void {
  const hold = (event: Event) => {
    if (event.cancelable) event.preventDefault();
  };
  // Some browsers lack it.
  const { navigation } = globalThis as { readonly navigation?: EventTarget };
  addEventListener('beforeunload', hold);
  navigation?.addEventListener('navigate', hold);
  return () => {
    removeEventListener('beforeunload', hold);
    navigation?.removeEventListener('navigate', hold);
  };
}
