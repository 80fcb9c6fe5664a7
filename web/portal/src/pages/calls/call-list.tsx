/** Calls, newest first. A refused call links to its entry in the guide. */
import type { ApiKey, CallsReply } from '@offer-ads/contracts/portal/organisation-api';
import { type Column, Table } from '../../../../ui/table.tsx';
import { When } from '../../../../ui/when.tsx';
import { Result } from './result.tsx';

type Call = CallsReply['calls'][number];

type CallTableProps = {
  readonly calls: readonly Call[];
  /** Columns after these. */
  readonly more?: readonly Column<Call>[];
};

export function CallTable({ calls, more = [] }: CallTableProps) {
  return (
    <Table
      rows={calls}
      // Calls have no id; the index is stable because the list only grows at its end.
      keyOf={(_, index) => index}
      columns={[
        { title: 'Time', cell: (call) => <When at={call.at} precision="second" /> },
        { title: 'Route', cell: (call) => <code class="address">{call.route}</code> },
        { title: 'Result', cell: (call) => <Result of={call} /> },
        ...more,
      ]}
    />
  );
}

type CallListProps = { readonly calls: readonly Call[]; readonly keys: readonly ApiKey[] };

export function CallList({ calls, keys }: CallListProps) {
  const named = new Map(keys.map(({ id, name }) => [id, name]));
  return (
    <div class="card">
      <CallTable
        calls={calls}
        more={[
          { title: 'Duration', numeric: true, cell: (call) => `${call.durationMs} ms` },
          {
            title: 'Key',
            cell: (call) => (
              <>
                {named.get(call.keyId)} <code class="muted">…{call.lastFour}</code>
              </>
            ),
          },
        ]}
      />
    </div>
  );
}
