/** Asks before a person gets another role, is disabled or enabled. */
import type { PortalPerson } from '@offer-ads/contracts/portal/organisation-api';
import type { Refusal } from '../../../../ui/call.ts';
import { Confirm } from '../../../../ui/confirm.tsx';
import { Dialog } from '../../../../ui/dialog.tsx';
import { Form, textOf } from '../../../../ui/form.tsx';
import { usePortal } from '../../session.ts';
import { keysText, type Role, roles, type Step } from './listed-people.ts';
import { RoleChoice } from './role-choice.tsx';

type Change = { readonly role: Role } | { readonly enabled: boolean };
type ChangePersonProps = {
  readonly step: Step;
  readonly person: PortalPerson;
  /** `done`: what is said of it afterwards. */
  readonly change: (change: Change, done: string) => Promise<Refusal | undefined>;
  readonly close: () => void;
};

export function ChangePerson({ step, person, change, close }: ChangePersonProps) {
  const { session } = usePortal();
  const { email, keysInForce } = person;
  const isOneself = person.id === session.person.id;

  if (step === 'role')
    return (
      <Dialog title={`The role of ${email}`} close={close}>
        <Form
          send={async (values) => {
            const role = textOf(values, 'role') as Role;
            if (role === person.role) return `${email} is ${roles[role].title} already: choose another role.`;
            return (await change({ role }, `${email} is ${roles[role].title} now.`))?.message ?? null;
          }}
          submit="Change the role"
          actions={
            <button type="button" class="quiet" onClick={close}>
              Cancel
            </button>
          }
        >
          <RoleChoice chosen={person.role} />
          {isOneself && <p>This is your own role: a lower one takes away what you see here.</p>}
          {keysInForce > 0 && (
            <p class="muted">
              {keysText(keysInForce)} of this person {keysInForce === 1 ? 'works' : 'work'} on in any role,
              because keys act for the organisation.
            </p>
          )}
        </Form>
      </Dialog>
    );
  const enabled = step === 'enable';
  return (
    <Confirm
      title={`${enabled ? 'Enable' : 'Disable'} ${email}?`}
      submit={enabled ? 'Enable the person' : 'Disable the person'}
      act={() => change({ enabled }, `${email} is ${step}d.`)}
      close={close}
    >
      {enabled ? (
        <p>
          They can ask for a link and sign in again, and their API keys that were not disabled work again.
        </p>
      ) : (
        <p>
          {isOneself ? 'You are signed out at once, everywhere' : 'They are signed out at once, everywhere'},
          and{' '}
          {keysInForce === 0
            ? 'can sign in no more'
            : `${keysText(keysInForce)} that ${isOneself ? 'you' : 'they'} made or rolled ${keysInForce === 1 ? 'stops' : 'stop'} working at once`}
          . Offers go on.
        </p>
      )}
    </Confirm>
  );
}
