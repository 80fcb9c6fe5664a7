/** Shows a new secret of a webhook once. */
import { ShownOnce } from '../../../../ui/shown-once.tsx';

type WebhookSecretProps = {
  readonly secret: string;
  /** Another secret signs for a day beside this one. */
  readonly isRolled: boolean;
  readonly stored: () => void;
};

export function WebhookSecret({ secret, isRolled, stored }: WebhookSecretProps) {
  return (
    <ShownOnce title="The secret of the webhook" secret={secret} copyLabel="Copy the secret" stored={stored}>
      <p>
        Your server checks with it that a message comes from us. <a href="/docs/webhooks">How to do that</a>
      </p>
      {isRolled && (
        <p>
          For 24 hours messages are also signed with the old secret: replace it in your server until then.
        </p>
      )}
    </ShownOnce>
  );
}
