/** The call log of placement keys, newest first, in pages, of one key or of all. */
import type { PlacementKeysReply } from '@offer-ads/contracts/admin/gateway-api';
import type { CallPage } from '@offer-ads/contracts/portal/organisation-api';
import { useLocation } from 'preact-iso';
import { Options, SelectField } from '../../../ui/field.tsx';
import { Form, textOf } from '../../../ui/form.tsx';
import { queryOf } from '../../../ui/query-of.ts';
import { Empty, Loaded } from '../../../ui/states.tsx';
import { Table } from '../../../ui/table.tsx';
import { When } from '../../../ui/when.tsx';
import { ConsolePage } from '../console-page.tsx';
import { PageLinks } from '../page-links.tsx';
import { maskOf } from '../placements/standing.ts';
import { useRead } from '../session.ts';

const statuses = { '': 'All', '2xx': 'Answered', '4xx': 'Refused', '5xx': 'Failed' } as const;

export function PlacementCalls() {
  const { query, route } = useLocation();
  const { key = '', status = '', cursor = '' } = query;
  const keys = useRead<PlacementKeysReply>('/gateway/placement-keys');
  const calls = useRead<CallPage>(
    `/gateway/placement-keys/calls${queryOf({ key_id: key, status, cursor, limit: '50' })}`,
  );
  const nameOf = new Map(keys.data?.keys.map(({ id, name }) => [id, name]));
  const filter = async (values: FormData) => {
    route(`/placements/calls${queryOf({ key: textOf(values, 'key'), status: textOf(values, 'status') })}`);
    return null;
  };
  return (
    <ConsolePage
      title="Calls with placement keys"
      lead={
        <>
          <a href="/placements">Placements</a> / calls of the last 90 days. Neither bodies nor addresses are
          logged.
        </>
      }
    >
      <Form label="Filter" submit="Show" send={filter}>
        <div class="filters">
          <div class="field wide">
            <SelectField label="Key" key={`${key} ${keys.data?.keys.length ?? 0}`} name="key">
              <option value="">All keys</option>
              <Options
                of={keys.data?.keys.map((listed) => [listed.id, `${listed.name} ${maskOf(listed)}`])}
                chosen={key}
              />
            </SelectField>
          </div>
          <SelectField label="Result" key={status} name="status">
            <Options of={Object.entries(statuses)} chosen={status} />
          </SelectField>
        </div>
      </Form>
      <Loaded query={calls} what="calls" lines={10}>
        {(page) => (
          <>
            {page.calls.length === 0 ? (
              <Empty
                title={page.nextCursor === null ? 'No calls' : 'No calls in the period searched so far'}
              />
            ) : (
              <div class="card">
                <CallsTable calls={page.calls} nameOf={nameOf} />
              </div>
            )}
            <PageLinks next={page.nextCursor} />
          </>
        )}
      </Loaded>
    </ConsolePage>
  );
}

type CallsTableProps = Pick<CallPage, 'calls'> & { readonly nameOf: ReadonlyMap<number, string> };

function CallsTable({ calls, nameOf }: CallsTableProps) {
  return (
    <Table
      rows={calls}
      // Calls have no id, and a page does not change.
      keyOf={(_, index) => index}
      columns={[
        { title: 'Time', cell: ({ at }) => <When at={at} precision="second" /> },
        { title: 'Route', cell: ({ route }) => <code class="address">{route}</code> },
        {
          title: 'Result',
          cell: ({ status }) => <span class={`badge ${badgeOf(status)}`}>{status}</span>,
        },
        { title: 'Duration', numeric: true, cell: ({ durationMs }) => `${durationMs} ms` },
        {
          title: 'Key',
          cell: ({ keyId, lastFour }) => (
            <>
              {nameOf.get(keyId)} <code class="muted">…{lastFour}</code>
            </>
          ),
        },
      ]}
    />
  );
}

function badgeOf(status: number): string {
  if (status >= 500) return 'problem';
  return status >= 400 ? 'warning' : 'good';
}
