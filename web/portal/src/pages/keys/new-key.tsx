/** The form for a new key: name, expiry, and its limits. */
import type { IssuedKeyReply } from '@offer-ads/contracts/portal/organisation-api';
import { DialogForm } from '../../../../ui/dialog-form.tsx';
import { InputField } from '../../../../ui/field.tsx';
import { textOf } from '../../../../ui/form.tsx';
import { dayText, endOfDay } from '../../../../ui/time-text.ts';
import { usePortal } from '../../session.ts';
import { useRightsFields } from './key-rights.tsx';

type NewKeyProps = {
  readonly made: (issued: IssuedKeyReply, name: string) => void;
  readonly close: () => void;
};

export function NewKey({ made, close }: NewKeyProps) {
  const { api, mode } = usePortal();
  const limits = useRightsFields();
  const create = async (values: FormData) => {
    const name = textOf(values, 'name');
    const expiresAt = endOfDay(textOf(values, 'expiresAt'))?.toISOString() ?? null;
    const rights = limits.read();
    if (rights === null) return null;
    const reply = await api.send<IssuedKeyReply>('POST', '/keys', {
      json: { mode: mode.toUpperCase(), name, expiresAt, rights },
    });
    if (!reply.ok)
      return reply.status === 0
        ? `${reply.message} The key may have been created nevertheless. Check the list and disable a key that nobody has stored.`
        : reply.message;
    made(reply.body, name);
    return null;
  };
  return (
    <DialogForm
      title={`Create a ${mode.toUpperCase()} key`}
      submit="Create the key"
      send={create}
      close={close}
    >
      <InputField
        label="Name"
        hint="For example the program that uses it: web shop."
        name="name"
        placesFaults
        maxLength={100}
        autocomplete="off"
        required
      />
      <InputField
        label="Last day (optional)"
        hint="The key stops working at the end of this day. Leave it empty for a key that does not expire."
        name="expiresAt"
        placesFaults
        type="date"
        min={dayText(new Date())}
      />
      <details>
        <summary>Limits, for example for an assistant</summary>
        <div class="stack">{limits.fields}</div>
      </details>
    </DialogForm>
  );
}
