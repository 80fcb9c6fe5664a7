/** The list of people with the actions for each. */
import type { PortalPerson } from '@offer-ads/contracts/portal/organisation-api';
import { useState } from 'preact/hooks';
import { BusyButton } from '../../../../ui/busy-button.tsx';
import { useShown } from '../../../../ui/show-more.tsx';
import { Empty } from '../../../../ui/states.tsx';
import { When } from '../../../../ui/when.tsx';
import { usePortal } from '../../session.ts';
import { findPeople, roles, type Step, standingOf } from './listed-people.ts';

type PeopleListProps = {
  readonly people: readonly PortalPerson[];
  readonly begin: (step: Step, person: PortalPerson) => void;
  readonly inviteAgain: (person: PortalPerson) => Promise<void>;
};

/** With fewer people no search field is needed. */
const manyPeople = 8;

export function PeopleList({ people, begin, inviteAgain }: PeopleListProps) {
  const [text, setText] = useState('');
  const found = findPeople(people, text);
  const { shown, more } = useShown(found);
  return (
    <>
      {people.length > manyPeople && (
        <label class="search">
          <span class="hidden">Find people by address or role</span>
          <input
            type="search"
            placeholder="Address or role"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
      )}
      <p class="hidden" role="status">
        {found.length} {found.length === 1 ? 'person' : 'people'} listed
      </p>
      {found.length === 0 ? (
        <Empty title="Nobody fits">
          <button type="button" class="quiet" onClick={() => setText('')}>
            Show all
          </button>
        </Empty>
      ) : (
        <div class="card">
          <table class="cells">
            <thead>
              <tr>
                <th scope="col">Person</th>
                <th scope="col">Role</th>
                <th scope="col">Last signed in</th>
                <th scope="col" class="numeric">
                  API keys
                </th>
                <th scope="col">
                  <span class="hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.map((person) => (
                <Row key={person.id} of={person} begin={begin} inviteAgain={inviteAgain} />
              ))}
            </tbody>
          </table>
          {more}
        </div>
      )}
    </>
  );
}

type RowProps = Pick<PeopleListProps, 'begin' | 'inviteAgain'> & { readonly of: PortalPerson };

function Row({ of: person, begin, inviteAgain }: RowProps) {
  const { session } = usePortal();
  const { email, role, keysInForce, lastSignedInAt, invitedAt, invitedBy } = person;
  const standing = standingOf(person);
  return (
    <tr>
      <td data-label="Person">
        <div class="address">
          <strong>{email}</strong>
          {person.id === session.person.id && <span class="muted"> (you)</span>}{' '}
          {standing === 'disabled' && <span class="badge muted">Disabled</span>}
          {standing === 'invited' && <span class="badge warning">Invited</span>}
        </div>
      </td>
      <td data-label="Role">{roles[role].title}</td>
      <td data-label="Last signed in">
        {lastSignedInAt === null ? (
          <span class="muted">
            invited by {invitedBy ?? 'the platform team'}, <When at={invitedAt} />
          </span>
        ) : (
          <When at={lastSignedInAt} />
        )}
      </td>
      <td data-label="API keys" class="numeric">
        {keysInForce}
      </td>
      <td data-label="">
        <div class="row actions">
          {standing === 'invited' && (
            <BusyButton class="quiet" aria-label={`Invite again: ${email}`} work={() => inviteAgain(person)}>
              Invite again
            </BusyButton>
          )}
          {standing === 'disabled' ? (
            <button
              type="button"
              class="quiet"
              aria-label={`Enable ${email}`}
              onClick={() => begin('enable', person)}
            >
              Enable
            </button>
          ) : (
            <>
              <button
                type="button"
                class="quiet"
                aria-label={`Change the role of ${email}`}
                onClick={() => begin('role', person)}
              >
                Role
              </button>
              <button
                type="button"
                class="danger"
                aria-label={`Disable ${email}`}
                onClick={() => begin('disable', person)}
              >
                Disable
              </button>
            </>
          )}
        </div>
      </td>
    </tr>
  );
}
