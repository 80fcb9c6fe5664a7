/** All organisations, those registered last first, by pages and by what one remembers of them. */
import type { OrganisationsReply } from '@offer-ads/contracts/admin-gateway-api';
import { useLocation } from 'preact-iso';
import { Field } from '../../../ui/field.tsx';
import { Form, textOf } from '../../../ui/form.tsx';
import { Empty, Failed, Loading } from '../../../ui/states.tsx';
import { ConsolePage } from '../console-page.tsx';
import { useRead } from '../session.ts';

export function Organisations() {
  const { query, route } = useLocation();
  const { search = '', enabled = '', before = '' } = query;
  const wanted = addressOf({ search, enabled, before, limit: '25' });
  const list = useRead<OrganisationsReply>(`/gateway/organisations${wanted}`);
  const find = async (values: FormData) => {
    route(
      `/organisations${addressOf({ search: textOf(values, 'search'), enabled: textOf(values, 'enabled') })}`,
    );
    return null;
  };
  return (
    <ConsolePage title="Organisations">
      <Form label="Search" submit="Search" send={find}>
        <div class="filters">
          <div class="field wide">
            <Field label="Name, address of a person, or id">
              {(described) => (
                <input
                  {...described}
                  key={search}
                  name="search"
                  type="search"
                  defaultValue={search}
                  maxLength={200}
                />
              )}
            </Field>
          </div>
          <Field label="Which">
            {(described) => (
              <select {...described} key={enabled} name="enabled" defaultValue={enabled}>
                <option value="">All</option>
                <option value="true">Enabled</option>
                <option value="false">Disabled</option>
              </select>
            )}
          </Field>
        </div>
      </Form>
      {list.isPending && <Loading what="organisations" lines={10} />}
      {list.isError && <Failed error={list.error} retry={list.refetch} />}
      {list.data?.organisations.length === 0 && (
        <Empty title={search === '' ? 'There is no organisation here' : 'No organisation fits this search'}>
          {search !== '' && <a href="/organisations">Show all</a>}
        </Empty>
      )}
      {list.data !== undefined && list.data.organisations.length > 0 && (
        <>
          <div class="card">
            <table class="cells">
              <thead>
                <tr>
                  <th scope="col">Id</th>
                  <th scope="col">Name</th>
                  <th scope="col">Trades as</th>
                  <th scope="col">Country, currency</th>
                  <th scope="col">First admin</th>
                  <th scope="col">State</th>
                </tr>
              </thead>
              <tbody>
                {list.data.organisations.map((organisation) => (
                  <tr key={organisation.id}>
                    <td data-label="Id">{organisation.id}</td>
                    <td data-label="Name">
                      <a href={`/organisations/${organisation.id}`}>{organisation.name}</a>
                    </td>
                    <td data-label="Trades as">{organisation.tradingName}</td>
                    <td data-label="Country">
                      {organisation.country}, {organisation.currency}
                    </td>
                    <td data-label="First admin">{organisation.adminEmail ?? '–'}</td>
                    <td data-label="State">
                      <span>
                        <Standing {...organisation} />
                      </span>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          <nav class="row" aria-label="Pages">
            {before !== '' && (
              <a class="button quiet" href={`/organisations${addressOf({ search, enabled })}`}>
                Back to the first
              </a>
            )}
            {list.data.nextBefore !== null && (
              <a
                class="button quiet"
                href={`/organisations${addressOf({ search, enabled, before: String(list.data.nextBefore) })}`}
              >
                Older ones
              </a>
            )}
          </nav>
        </>
      )}
    </ConsolePage>
  );
}

export function Standing({ enabled, termsAccepted }: { enabled: boolean; termsAccepted: boolean }) {
  return (
    <>
      <span class={`badge ${enabled ? 'good' : 'problem'}`}>{enabled ? 'enabled' : 'disabled'}</span>{' '}
      {!termsAccepted && <span class="badge muted">terms not accepted</span>}
    </>
  );
}

function addressOf(parameters: Readonly<Record<string, string>>): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== '');
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}
