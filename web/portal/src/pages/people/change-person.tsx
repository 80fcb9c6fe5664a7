/** The dialogs to change a person's role, and to disable or enable a person. */
import type { PortalPerson } from '@offer-ads/contracts/portal/organisation-api';
import type { Refusal } from '../../../../ui/calls/call.ts';
import { Confirm } from '../../../../ui/confirm.tsx';
import { DialogForm } from '../../../../ui/dialog-form.tsx';
import { textOf } from '../../../../ui/form.tsx';
import { usePortal } from '../../session.ts';
import { keysText, type Role, roles, type Step } from './listed-people.ts';
import { RoleChoice } from './role-choice.tsx';

type Change = { readonly role: Role } | { readonly enabled: boolean };
type ChangePersonProps = {
  readonly step: Step;
  readonly person: PortalPerson;
  /** `done`: the message after a success. */
  readonly change: (change: Change, done: string) => Promise<Refusal | undefined>;
  readonly close: () => void;
};

export function ChangePerson({ step, person, change, close }: ChangePersonProps) {
  const { session } = usePortal();
  const { email, keysInForce } = person;
  const isOneself = person.id === session.person.id;

  if (step === 'role')
    return (
      <DialogForm
        title={`The role of ${email}`}
        submit="Change the role"
        send={async (values) => {
          const role = textOf(values, 'role') as Role;
          if (role === person.role) return `${email} is ${roles[role].title} already: choose another role.`;
          return (await change({ role }, `${email} is ${roles[role].title} now.`))?.message ?? null;
        }}
        close={close}
      >
        <RoleChoice chosen={person.role} />
        {isOneself && <p>This is your own role: with a lower role you no longer see this page.</p>}
        {keysInForce > 0 && (
          <p class="muted">
            {keysText(keysInForce)} of this person {keysInForce === 1 ? 'continues' : 'continue'} to work in
            any role, because keys belong to the organisation.
          </p>
        )}
      </DialogForm>
    );
  const enabled = step === 'enable';
  return (
    <Confirm
      title={`${enabled ? 'Enable' : 'Disable'} ${email}?`}
      submit={enabled ? 'Enable the person' : 'Disable the person'}
      harmless={enabled}
      act={() => change({ enabled }, `${email} is ${step}d.`)}
      close={close}
    >
      {enabled ? (
        <p>
          The person can ask for a link and sign in again. Their API keys work again, except disabled ones.
        </p>
      ) : (
        <p>
          {isOneself ? 'You are signed out at once, everywhere' : 'They are signed out at once, everywhere'},
          and{' '}
          {keysInForce === 0
            ? 'cannot sign in any more'
            : `${keysText(keysInForce)} that ${isOneself ? 'you' : 'they'} made or rolled ${keysInForce === 1 ? 'stops' : 'stop'} working at once`}
          . Offers continue.
        </p>
      )}
    </Confirm>
  );
}
