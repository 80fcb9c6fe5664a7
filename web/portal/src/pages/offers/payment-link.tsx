/** The payment link, to open or to copy. In TEST mode also with the test card. */
import { CopyButton } from '../../../../ui/copy-button.tsx';
import { usePortal } from '../../session.ts';

export function PaymentLink({ url }: { readonly url: string }) {
  const { mode } = usePortal();
  return (
    <>
      <p>
        <code class="link-text">{url}</code>
      </p>
      <div class="row">
        <a class="button" href={url} target="_blank" rel="noreferrer">
          Open the payment page
        </a>
        <CopyButton text={url} label="Copy the link" />
      </div>
      {mode === 'test' && (
        <p class="small">
          In TEST mode no card is charged. With Stripe's own test pages pay with the card{' '}
          <code>4242 4242 4242 4242</code>, any future date and any three digits; the simulator's page has one
          button and needs no card.
        </p>
      )}
    </>
  );
}
