/** Calls, newest first. A refused call links to its entry in the guide. */
import type { ApiKey, CallsReply } from '@offer-ads/contracts/portal/organisation-api';
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
      <table class="cells">
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Route</th>
            <th scope="col">Result</th>
            <th scope="col" class="numeric">
              Duration
            </th>
            <th scope="col">Key</th>
          </tr>
        </thead>
        <tbody>
          {calls.map((call, index) => (
            // Calls have no id; the index is stable because the list only grows at its end.
            <tr key={index}>
              <td data-label="Time">
                <When at={call.at} precision="second" />
              </td>
              <td data-label="Route">
                <code class="address">{call.route}</code>
              </td>
              <td data-label="Result">
                <Result of={call} />
              </td>
              <td data-label="Duration" class="numeric">
                {call.durationMs} ms
              </td>
              <td data-label="Key">
                <span>
                  {named.get(call.keyId)} <code class="muted">…{call.lastFour}</code>
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
