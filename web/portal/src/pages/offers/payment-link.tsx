/** The payment link, to open or to copy. In TEST mode also with the test card. */
import { CopyButton } from '../../../../ui/copy-button.tsx';
import { usePortal } from '../../session.ts';

/** `isQuiet`: the view has the button to pay elsewhere. */
export function PaymentLink({ url, isQuiet = false }: { readonly url: string; readonly isQuiet?: boolean }) {
  const { mode } = usePortal();
  return (
    <>
      <p>
        <code class="link-text">{url}</code>
      </p>
      <div class="row">
        <a class={`button ${isQuiet ? 'quiet' : ''}`} href={url} target="_blank" rel="noreferrer">
          Open the payment page
        </a>
        <CopyButton text={url} label="Copy the link" />
      </div>
      {mode === 'test' && (
        <p class="muted small">
          In TEST mode no card is charged. Pay with the test card <code>4242 4242 4242 4242</code>, any future
          date and any three digits.
        </p>
      )}
    </>
  );
}
