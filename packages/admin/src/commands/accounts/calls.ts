/** The log of the calls made with an organisation's keys. */
import { callsQuery } from '@offer-ads/contracts/portal/organisation-api';
import { type Command, command, count, id, isoTime, text } from '../../command.ts';
import type { Tools } from '../../tools.ts';

const status = text.pipe(callsQuery.shape.status.unwrap()).describe('404|4xx');

export const callCommands: readonly Command[] = [
  command({
    name: 'call list',
    summary: 'List the calls of an organisation, newest first; --cursor continues after a page',
    options: {
      org: id,
      key: id.optional(),
      route: text.optional(),
      status: status.optional(),
      from: isoTime.optional(),
      to: isoTime.optional(),
      limit: count.optional(),
      cursor: text.optional(),
    },
    run: ({ key, ...o }, tools) => listCalls({ ...o, key_id: key }, tools),
  }),
  command({
    name: 'call-log list',
    summary: 'List the latest calls of an organisation',
    options: { org: id, limit: count.optional() },
    run: listCalls,
  }),
];

function listCalls(
  { org, ...filters }: { org: number; [filter: string]: string | number | undefined },
  { call }: Tools,
): Promise<object> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filters))
    if (value !== undefined) query.set(name, String(value));
  const path = `/admin/organisations/${org}/calls${query.size === 0 ? '' : `?${query.toString()}`}`;
  return call('gateway', { method: 'GET', path });
}
