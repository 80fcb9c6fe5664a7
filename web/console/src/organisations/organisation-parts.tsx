/** Parts of an organisation's page with data of the gateway: people, keys without their secrets, terms. */
import type { OrganisationTermsReply, PeopleReply } from '@offer-ads/contracts/admin/gateway-api';
import type { ComponentChildren } from 'preact';
import { Notice } from '../../../ui/notice.tsx';
import { Empty, Loaded, type Query } from '../../../ui/states.tsx';
import { Table } from '../../../ui/table.tsx';
import { When } from '../../../ui/when.tsx';
import { ActionButton } from '../may.tsx';
import { useRead } from '../session.ts';
import { useAction } from '../use-action.ts';
import { ErasePerson } from './erase-person.tsx';

type PartProps<T> = {
  readonly title: string;
  readonly query: Query<T>;
  readonly empty: string | null;
  /** A button beside the title. */
  readonly action?: ComponentChildren;
  readonly children: (data: T) => ComponentChildren;
};

/** A section that loads, fails or is empty independently of the others. */
export function Part<T>({ title, query, empty, action, children }: PartProps<T>) {
  return (
    <section class="card" aria-label={title}>
      <div class="row spread">
        <h2>{title}</h2>
        {action}
      </div>
      <Loaded query={query} what={title}>
        {(data) => (empty === null ? children(data) : <Empty title={empty} />)}
      </Loaded>
    </section>
  );
}

export function OrganisationPeople({ id }: { readonly id: number }) {
  const people = useRead<PeopleReply>(`/gateway/organisations/${id}/people`);
  const { asking, done, begin, end } = useAction<string>();
  return (
    <>
      {done !== null && <Notice kind="good">{done}</Notice>}
      <Part title="People" query={people} empty={people.data?.people.length === 0 ? 'Nobody' : null}>
        {(data) => (
          <Table
            rows={data.people}
            keyOf={(person) => person.id}
            columns={[
              { title: 'Address', kind: 'name', cell: (person) => person.email },
              { title: 'Role', cell: (person) => person.role },
              {
                title: 'State',
                cell: ({ enabled, awaited }) =>
                  !enabled ? 'disabled' : awaited === true ? 'invited, not signed in' : 'enabled',
              },
              {
                title: 'Erase',
                kind: 'actions',
                cell: ({ email }) => (
                  <div class="row actions">
                    <ActionButton
                      call="POST /gateway/people/erase"
                      class="danger"
                      label={`Erase ${email} …`}
                      onClick={() => begin(email)}
                    >
                      Erase …
                    </ActionButton>
                  </div>
                ),
              },
            ]}
          />
        )}
      </Part>
      {asking !== null && <ErasePerson email={asking} close={end} />}
    </>
  );
}

type Key = {
  readonly id: number;
  readonly name: string;
  readonly mode: string | null;
  readonly lastFour: string;
  readonly disabledAt: string | null;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
};

export function OrganisationKeys({ id }: { readonly id: number }) {
  const keys = useRead<{ readonly keys: readonly Key[] }>(`/gateway/organisations/${id}/keys`);
  return (
    <Part title="API keys" query={keys} empty={keys.data?.keys.length === 0 ? 'No key was ever made' : null}>
      {(data) => (
        <Table
          rows={data.keys}
          keyOf={(key) => key.id}
          columns={[
            {
              title: 'Key',
              kind: 'name',
              cell: (key) => (
                <>
                  {key.name} <code>…{key.lastFour}</code>
                </>
              ),
            },
            { title: 'Mode', cell: (key) => key.mode ?? 'none' },
            { title: 'State', cell: (key) => stateOf(key) },
            {
              title: 'Expires',
              cell: (key) => <When at={key.expiresAt} none="never" />,
            },
            {
              title: 'Last used',
              cell: (key) => <When at={key.lastUsedAt} none="never" />,
            },
          ]}
        />
      )}
    </Part>
  );
}

function stateOf({ disabledAt, expiresAt }: Key): string {
  if (disabledAt !== null) return 'disabled';
  return expiresAt !== null && new Date(expiresAt) <= new Date() ? 'expired' : 'active';
}

export function OrganisationTerms({ id }: { readonly id: number }) {
  const terms = useRead<OrganisationTermsReply>(`/gateway/organisations/${id}/terms`);
  return (
    <Part title="Terms" query={terms} empty={terms.data?.terms.length === 0 ? 'None were published' : null}>
      {(data) => (
        <Table
          rows={data.terms}
          keyOf={(version) => version.version}
          columns={[
            { title: 'Version', cell: (version) => version.version },
            { title: 'Published', cell: (version) => <When at={version.publishedAt} /> },
            {
              title: 'Accepted',
              cell: (version) => <When at={version.acceptedAt} none="not accepted" />,
            },
            {
              title: 'By',
              cell: (version) =>
                version.acceptedAt === null ? '–' : (version.acceptedBy ?? 'the platform team'),
            },
          ]}
        />
      )}
    </Part>
  );
}
