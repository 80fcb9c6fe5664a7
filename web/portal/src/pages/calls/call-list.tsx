/** Calls, newest first. Each leads to its page, and the result of a refused call to its entry in the guide. */
import type { ApiKey, CallsReply } from '@offer-ads/contracts/portal/organisation-api';
import type { ComponentChildren } from 'preact';
import { Table } from '../../../../ui/table.tsx';
import { When } from '../../../../ui/when.tsx';
import { usePortal } from '../../session.ts';
import { Result } from './result.tsx';

type Call = CallsReply['calls'][number];

type CallTableProps = {
  readonly calls: readonly Call[];
  /** A line below the route. */
  readonly detail?: (call: Call) => ComponentChildren;
};

export function CallTable({ calls, detail }: CallTableProps) {
  const { at } = usePortal();
  return (
    <Table
      rows={calls}
      // Calls have no id; the index is stable because the list only grows at its end.
      keyOf={(_, index) => index}
      columns={[
        { title: 'Time', cell: (call) => <When at={call.at} precision="second" /> },
        {
          title: 'Call',
          cell: (call) => (
            <>
              <a href={at(`calls/${encodeURIComponent(call.requestId)}`)}>
                <code class="address">{call.route}</code>
              </a>{' '}
              {call.mode !== null && <span class="badge muted">{call.mode}</span>}
              {detail !== undefined && <div class="small muted">{detail(call)}</div>}
            </>
          ),
        },
        {
          title: 'Result',
          cell: (call) => (
            <>
              <Result of={call} /> <span class="small muted">{call.durationMs} ms</span>
            </>
          ),
        },
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
        detail={(call) => (
          <>
            {named.get(call.keyId)} …{call.lastFour}, request <code class="address">{call.requestId}</code>
          </>
        )}
      />
    </div>
  );
}
