/** Parts of an organisation's page with data of the gateway: people, keys without their secrets, terms. */
import type { OrganisationTermsReply, PeopleReply } from '@offer-ads/contracts/admin/gateway-api';
import type { ComponentChildren } from 'preact';
import { Empty, Failed, Loading } from '../../ui/states.tsx';
import { When } from '../../ui/when.tsx';
import { useRead } from './session.ts';

type Query<T> = {
  readonly data: T | undefined;
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly refetch: () => Promise<unknown>;
};

type PartProps<T> = {
  readonly title: string;
  readonly query: Query<T>;
  readonly empty: string | null;
  readonly children: (data: T) => ComponentChildren;
};

/** A section that loads, fails or is empty independently of the others. */
export function Part<T>({ title, query, empty, children }: PartProps<T>) {
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      {query.isPending && <Loading what={title} lines={3} />}
      {query.error !== null && <Failed error={query.error} retry={query.refetch} />}
      {query.data !== undefined && (empty === null ? children(query.data) : <Empty title={empty} />)}
    </section>
  );
}

export function OrganisationPeople({ id }: { readonly id: number }) {
  const people = useRead<PeopleReply>(`/gateway/organisations/${id}/people`);
  return (
    <Part title="People" query={people} empty={people.data?.people.length === 0 ? 'Nobody' : null}>
      {(data) => (
        <table class="cells">
          <thead>
            <tr>
              <th scope="col">Address</th>
              <th scope="col">Role</th>
              <th scope="col">State</th>
            </tr>
          </thead>
          <tbody>
            {data.people.map((person) => (
              <tr key={person.id}>
                <td data-label="Address">{person.email}</td>
                <td data-label="Role">{person.role}</td>
                <td data-label="State">{person.enabled ? 'enabled' : 'disabled'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Part>
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
        <table class="cells">
          <thead>
            <tr>
              <th scope="col">Key</th>
              <th scope="col">Mode</th>
              <th scope="col">State</th>
              <th scope="col">Expires</th>
              <th scope="col">Last used</th>
            </tr>
          </thead>
          <tbody>
            {data.keys.map((key) => (
              <tr key={key.id}>
                <td data-label="Key">
                  <span>
                    {key.name} <code>…{key.lastFour}</code>
                  </span>
                </td>
                <td data-label="Mode">{key.mode ?? 'none'}</td>
                <td data-label="State">{stateOf(key)}</td>
                <td data-label="Expires">{key.expiresAt === null ? 'never' : <When at={key.expiresAt} />}</td>
                <td data-label="Last used">
                  {key.lastUsedAt === null ? 'never' : <When at={key.lastUsedAt} />}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Part>
  );
}

function stateOf({ disabledAt, expiresAt }: Key): string {
  if (disabledAt !== null) return 'disabled';
  return expiresAt !== null && new Date(expiresAt) <= new Date() ? 'expired' : 'in force';
}

export function OrganisationTerms({ id }: { readonly id: number }) {
  const terms = useRead<OrganisationTermsReply>(`/gateway/organisations/${id}/terms`);
  return (
    <Part title="Terms" query={terms} empty={terms.data?.terms.length === 0 ? 'None were published' : null}>
      {(data) => (
        <table class="cells">
          <thead>
            <tr>
              <th scope="col">Version</th>
              <th scope="col">Published</th>
              <th scope="col">Accepted</th>
              <th scope="col">By</th>
            </tr>
          </thead>
          <tbody>
            {data.terms.map((version) => (
              <tr key={version.version}>
                <td data-label="Version">{version.version}</td>
                <td data-label="Published">
                  <When at={version.publishedAt} />
                </td>
                <td data-label="Accepted">
                  {version.acceptedAt === null ? 'not accepted' : <When at={version.acceptedAt} />}
                </td>
                <td data-label="By">
                  {version.acceptedAt === null ? '–' : (version.acceptedBy ?? 'the platform team')}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Part>
  );
}
