/** The payment link, to open or to copy. In TEST mode also with the test card. */
import { CopyButton } from '../../../../ui/copy-button.tsx';
import { usePortal } from '../../session.ts';

type PaymentLinkProps = {
  readonly url: string;
  readonly label?: string;
  /** The view has the button to pay elsewhere. */
  readonly isQuiet?: boolean;
};

export function PaymentLink({ url, label = 'Open the payment page', isQuiet = false }: PaymentLinkProps) {
  const { mode } = usePortal();
  return (
    <>
      <div class="row">
        <a class={`button ${isQuiet ? 'quiet' : ''}`} href={url} target="_blank" rel="noreferrer">
          {label}
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
