/** Calls, newest first. A refused call links to its entry in the guide. */
import type { ApiKey, CallsReply } from '@offer-ads/contracts/portal/organisation-api';
import { Table } from '../../../../ui/table.tsx';
import { When } from '../../../../ui/when.tsx';
import { Result } from './result.tsx';

type Call = CallsReply['calls'][number];

export function CallList({
  calls,
  keys,
}: {
  readonly calls: readonly Call[];
  readonly keys: readonly ApiKey[];
}) {
  const named = new Map(keys.map(({ id, name }) => [id, name]));
  return (
    <div class="card">
      <Table
        rows={calls}
        // Calls have no id; the index is stable because the list only grows at its end.
        keyOf={(_, index) => index}
        columns={[
          { title: 'Time', cell: (call) => <When at={call.at} precision="second" /> },
          { title: 'Route', cell: (call) => <code class="address">{call.route}</code> },
          { title: 'Result', cell: (call) => <Result of={call} /> },
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
