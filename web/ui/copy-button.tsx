/** Copies a text to the clipboard and confirms it. */
import { useState } from 'preact/hooks';

export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [state, setState] = useState<'ready' | 'copied' | 'refused'>('ready');
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setState('copied'),
      // Without https or permission, scripts cannot copy.
      () => setState('refused'),
    );
  };
  return (
    <>
      <button type="button" class="quiet" onClick={copy}>
        {label}
      </button>
      <span role="status" class="small">
        {state === 'copied' && 'Copied.'}
        {state === 'refused' && 'The browser does not allow this: select the text and copy it.'}
      </span>
    </>
  );
}
