/** All organisations, newest first, in pages, with search and filters. */

import type { OrganisationDetails, OrganisationsReply } from '@offer-ads/contracts/admin/gateway-api';
import { useLocation } from 'preact-iso';
import { InputField, Options, SelectField } from '../../../ui/field.tsx';
import { Form, textOf } from '../../../ui/form.tsx';
import { queryOf } from '../../../ui/query-of.ts';
import { Empty, Loaded } from '../../../ui/states.tsx';
import { Table } from '../../../ui/table.tsx';
import { ConsolePage } from '../console-page.tsx';
import { PageLinks } from '../page-links.tsx';
import { useRead } from '../session.ts';

const filters = {
  '': { title: 'All', query: {}, none: 'There is no organisation here' },
  waiting: {
    title: 'Waiting for approval',
    query: { approved: 'false', enabled: 'true' },
    none: 'No organisation waits for approval',
  },
  enabled: { title: 'Enabled', query: { enabled: 'true' }, none: 'No organisation is enabled' },
  disabled: { title: 'Disabled', query: { enabled: 'false' }, none: 'No organisation is disabled' },
} as const;

function isFilter(which: string | undefined): which is keyof typeof filters {
  return which !== undefined && Object.hasOwn(filters, which);
}

export function Organisations() {
  const { query, route } = useLocation();
  const { search = '', cursor = '' } = query;
  const which = isFilter(query.which) ? query.which : '';
  const wanted = queryOf({ search, ...filters[which].query, before: cursor, limit: '25' });
  const list = useRead<OrganisationsReply>(`/gateway/organisations${wanted}`);
  const find = async (values: FormData) => {
    route(`/organisations${queryOf({ search: textOf(values, 'search'), which: textOf(values, 'which') })}`);
    return null;
  };
  return (
    <ConsolePage title="Organisations">
      <Form label="Search" submit="Search" send={find}>
        <div class="filters">
          <div class="field wide">
            <InputField
              label="Name, address of a person, or id"
              key={search}
              name="search"
              type="search"
              defaultValue={search}
              maxLength={200}
            />
          </div>
          <SelectField label="Which" key={which} name="which">
            <Options
              of={Object.entries(filters).map(([value, { title }]) => [value, title])}
              chosen={which}
            />
          </SelectField>
        </div>
      </Form>
      <Loaded query={list} what="organisations" lines={10}>
        {({ organisations, nextBefore }) =>
          organisations.length === 0 ? (
            <Empty title={search === '' ? filters[which].none : 'No matching organisation'}>
              {search !== '' && <a href="/organisations">Show all</a>}
            </Empty>
          ) : (
            <>
              <div class="card">
                <OrganisationsTable organisations={organisations} />
              </div>
              <PageLinks next={nextBefore} />
            </>
          )
        }
      </Loaded>
    </ConsolePage>
  );
}

function OrganisationsTable({ organisations }: Pick<OrganisationsReply, 'organisations'>) {
  return (
    <Table
      rows={organisations}
      keyOf={({ id }) => id}
      columns={[
        { title: 'Id', cell: ({ id }) => id },
        { title: 'Name', kind: 'name', cell: ({ id, name }) => <a href={`/organisations/${id}`}>{name}</a> },
        { title: 'Trades as', cell: ({ tradingName }) => tradingName },
        {
          title: 'Country, currency',
          short: 'Country',
          cell: ({ country, currency }) => `${country}, ${currency}`,
        },
        { title: 'First admin', cell: ({ adminEmail }) => adminEmail ?? '–' },
        { title: 'State', cell: (organisation) => <Standing {...organisation} /> },
      ]}
    />
  );
}

type StandingProps = Pick<OrganisationDetails, 'enabled' | 'approval' | 'withdrawal' | 'termsAccepted'>;

export function Standing({ enabled, approval, withdrawal, termsAccepted }: StandingProps) {
  return (
    <>
      <span class={`badge ${enabled ? 'good' : 'problem'}`}>{enabled ? 'enabled' : 'disabled'}</span>{' '}
      {approval === null && (
        <span class="badge warning">{withdrawal === null ? 'waits for approval' : 'approval withdrawn'}</span>
      )}{' '}
      {!termsAccepted && <span class="badge muted">terms not accepted</span>}
    </>
  );
}
