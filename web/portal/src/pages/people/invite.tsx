/** The form to invite a person, who gets a mail with a sign-in link. */
import type { Refusal } from '../../../../ui/calls/call.ts';
import { DialogForm } from '../../../../ui/dialog-form.tsx';
import { InputField } from '../../../../ui/field.tsx';
import { textOf } from '../../../../ui/form.tsx';
import type { Role } from './listed-people.ts';
import { RoleChoice } from './role-choice.tsx';

type InviteProps = {
  readonly invite: (email: string, role: Role) => Promise<Refusal | undefined>;
  readonly close: () => void;
};

export function Invite({ invite, close }: InviteProps) {
  return (
    <DialogForm
      title="Invite a person"
      submit="Send the invitation"
      send={async (values) => {
        const refusal = await invite(textOf(values, 'email'), textOf(values, 'role') as Role);
        return refusal?.message ?? null;
      }}
      close={close}
    >
      <InputField
        label="Email address"
        name="email"
        placesFaults
        type="email"
        maxLength={254}
        autocomplete="off"
        required
      />
      <RoleChoice chosen="marketer" />
    </DialogForm>
  );
}
