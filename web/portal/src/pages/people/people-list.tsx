/** The list of people with the actions for each. */
import type { PortalPerson } from '@offer-ads/contracts/portal/organisation-api';
import { Users } from 'lucide';
import { useState } from 'preact/hooks';
import { BusyButton } from '../../../../ui/busy-button.tsx';
import { Search } from '../../../../ui/search.tsx';
import { useShown } from '../../../../ui/show-more.tsx';
import { Empty } from '../../../../ui/states.tsx';
import { Table } from '../../../../ui/table.tsx';
import { When } from '../../../../ui/when.tsx';
import { usePortal } from '../../session.ts';
import { findPeople, isOnlyAdmin, roles, type Step, standingOf } from './listed-people.ts';

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
        <Search
          label="Find people by address or role"
          placeholder="Address or role"
          text={text}
          search={setText}
        />
      )}
      <p class="hidden" role="status">
        {found.length} {found.length === 1 ? 'person' : 'people'} listed
      </p>
      {found.length === 0 ? (
        <Empty title="Nobody matches" icon={Users}>
          <button type="button" class="quiet" onClick={() => setText('')}>
            Show all
          </button>
        </Empty>
      ) : (
        <div class="card">
          <Table
            rows={shown}
            keyOf={({ id }) => id}
            columns={[
              { title: 'Person', kind: 'name', cell: (person) => <Name of={person} /> },
              { title: 'Role', cell: ({ role }) => roles[role].title },
              { title: 'Last signed in', cell: (person) => <LastSignIn of={person} /> },
              { title: 'Keys, TEST and LIVE', numeric: true, cell: ({ keysInForce }) => keysInForce },
              {
                title: 'Actions',
                kind: 'actions',
                cell: (person) =>
                  isOnlyAdmin(person, people) ? (
                    <span class="muted">The only admin: first make another person an admin.</span>
                  ) : (
                    <Actions of={person} begin={begin} inviteAgain={inviteAgain} />
                  ),
              },
            ]}
          />
          {more}
        </div>
      )}
    </>
  );
}

function Name({ of: person }: { readonly of: PortalPerson }) {
  const { session } = usePortal();
  const standing = standingOf(person);
  return (
    <div class="address">
      {person.email}
      {person.id === session.person.id && <span class="muted"> (you)</span>}{' '}
      {standing === 'disabled' && <span class="badge muted">Disabled</span>}
      {standing === 'invited' && <span class="badge warning">Invited</span>}
    </div>
  );
}

function LastSignIn({ of: { lastSignedInAt, invitedAt, invitedBy } }: { readonly of: PortalPerson }) {
  if (lastSignedInAt !== null) return <When at={lastSignedInAt} />;
  return (
    <span class="muted address">
      invited by {invitedBy ?? 'the platform team'}, <When at={invitedAt} />
    </span>
  );
}

type ActionsProps = Pick<PeopleListProps, 'begin' | 'inviteAgain'> & { readonly of: PortalPerson };

function Actions({ of: person, begin, inviteAgain }: ActionsProps) {
  const { email } = person;
  const standing = standingOf(person);
  return (
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
  );
}
