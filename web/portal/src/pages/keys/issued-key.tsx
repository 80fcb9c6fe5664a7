/** Shows a new key once, with a command to try it out. */
import type { IssuedKeyReply } from '@offer-ads/contracts/portal/organisation-api';
import { CopyButton } from '../../../../ui/copy-button.tsx';
import { ShownOnce } from '../../../../ui/shown-once.tsx';
import { When } from '../../../../ui/when.tsx';
import { tryOut } from './listed-keys.ts';

type IssuedKeyProps = {
  readonly issued: IssuedKeyReply;
  readonly name: string;
  readonly stored: () => void;
};

export function IssuedKey({ issued: { key, expiresAt }, name, stored }: IssuedKeyProps) {
  const command = tryOut(location.origin, key);
  return (
    <ShownOnce title={`The key ${name}`} secret={key} copyLabel="Copy the key" stored={stored}>
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
    </ShownOnce>
  );
}
