/** Calls, newest first, a line each. Each leads to its page, and the result of a refused call to its entry in the guide. */
import type { ApiKey, CallsReply } from '@offer-ads/contracts/portal/organisation-api';
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
    <table class="calls">
      <thead>
        <tr>
          <th scope="col" class="time">
            Time
          </th>
          <th scope="col">Call</th>
          {keys !== undefined && (
            <th scope="col" class="optional">
              Key
            </th>
          )}
          <th scope="col" class="result">
            Result
          </th>
          <th scope="col" class="took numeric">
            Took
          </th>
        </tr>
      </thead>
      <tbody>
        {calls.map((call, index) => (
          // Calls have no id; the index is stable because the list only grows at its end.
          <tr key={index}>
            <td class="time">
              <When at={call.at} precision="second" />
            </td>
            <td>
              <a href={at(`calls/${encodeURIComponent(call.requestId)}`)}>
                <code>{call.route}</code>
              </a>
            </td>
            {keys !== undefined && (
              <td class="optional">
                {call.mode !== null && <span class="badge muted">{call.mode}</span>} {names.get(call.keyId)} …
                {call.lastFour}
              </td>
            )}
            <td class="result">
              <Result of={call} />
            </td>
            <td class="took numeric muted">{call.durationMs} ms</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
