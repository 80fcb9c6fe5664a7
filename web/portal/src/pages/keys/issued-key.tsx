/** Shows a new key once. The dialog cannot be closed by accident; closing it removes the key from memory. */
import type { IssuedKeyReply } from '@offer-ads/contracts/portal/organisation-api';
import { useEffect, useRef } from 'preact/hooks';
import { CopyButton } from '../../../../ui/copy-button.tsx';
import { Dialog } from '../../../../ui/dialog.tsx';
import { When } from '../../../../ui/when.tsx';
import { tryOut } from './listed-keys.ts';

type IssuedKeyProps = {
  readonly issued: IssuedKeyReply;
  readonly name: string;
  readonly stored: () => void;
};

export function IssuedKey({ issued, name, stored }: IssuedKeyProps) {
  const { key, expiresAt } = issued;
  const command = tryOut(location.origin, key);
  const first = useRef<HTMLParagraphElement>(null);
  // Focus the text first, so that a screen reader reads it before the buttons.
  useEffect(() => first.current?.focus(), []);
  useEffect(staysHere, []);
  return (
    <Dialog title={`The key ${name}`} close={stored} stays>
      <p ref={first} tabIndex={-1} class="outcome">
        This is the only time that it is shown. Copy it to the place where you store secrets.
      </p>
      <div class="stack secret">
        <code class="whole">{key}</code>
        <div class="row">
          <CopyButton text={key} label="Copy the key" />
        </div>
      </div>
      {expiresAt !== null && (
        <p>
          It works until <When at={expiresAt} />.
        </p>
      )}
      <div class="stack">
        <h3>Try it out</h3>
        <code class="whole command">{command}</code>
        <div class="row">
          <CopyButton text={command} label="Copy the command" />
        </div>
      </div>
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
