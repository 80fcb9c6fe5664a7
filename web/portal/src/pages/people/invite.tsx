/** The form to invite a person, who gets a mail with a sign-in link. */
import type { Refusal } from '../../../../ui/calls/call.ts';
import { Dialog } from '../../../../ui/dialog.tsx';
import { Field } from '../../../../ui/field.tsx';
import { Form, textOf } from '../../../../ui/form.tsx';
import type { Role } from './listed-people.ts';
import { RoleChoice } from './role-choice.tsx';

type InviteProps = {
  readonly invite: (email: string, role: Role) => Promise<Refusal | undefined>;
  readonly close: () => void;
};

export function Invite({ invite, close }: InviteProps) {
  return (
    <Dialog title="Invite a person" close={close}>
      <Form
        send={async (values) => {
          const refusal = await invite(textOf(values, 'email'), textOf(values, 'role') as Role);
          return refusal?.message ?? null;
        }}
        submit="Send the invitation"
        actions={
          <button type="button" class="quiet" onClick={close}>
            Cancel
          </button>
        }
      >
        <Field label="Email address">
          {(described) => (
            <input {...described} name="email" type="email" maxLength={254} autocomplete="off" required />
          )}
        </Field>
        <RoleChoice chosen="marketer" />
      </Form>
    </Dialog>
  );
}
