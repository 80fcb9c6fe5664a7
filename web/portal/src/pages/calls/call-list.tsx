/** Calls, newest first, a line each. Each leads to its page, and the result of a refused call to its entry in the guide. */
import type { ApiKey, CallsReply } from '@offer-ads/contracts/portal/organisation-api';
import { Table } from '../../../../ui/table.tsx';
import { When } from '../../../../ui/when.tsx';
import { usePortal } from '../../session.ts';
import { Result } from './result.tsx';

type CallTableProps = {
  readonly calls: readonly CallsReply['calls'][number][];
  /** For the names of keys; without them the column is left out. */
  readonly keys?: readonly ApiKey[];
};

export function CallTable({ calls, keys }: CallTableProps) {
  const { at } = usePortal();
  const names = new Map(keys?.map(({ id, name }) => [id, name]));
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
            <a href={at(`calls/${encodeURIComponent(call.requestId)}`)}>
              <code class="address">{call.route}</code>
            </a>
          ),
        },
        keys !== undefined && {
          title: 'Key',
          cell: (call) => (
            <>
              {call.mode !== null && <span class="badge muted">{call.mode}</span>} {names.get(call.keyId)} …
              {call.lastFour}
            </>
          ),
        },
        { title: 'Result', cell: (call) => <Result of={call} /> },
        { title: 'Took', numeric: true, cell: (call) => `${call.durationMs} ms` },
      ]}
    />
  );
}
