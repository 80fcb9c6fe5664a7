/** The log of the calls made with an organisation's keys. */
import { callsQuery } from '@offer-ads/contracts/portal/organisation-api';
import { type Command, command, count, id, isoTime, text } from '../../command.ts';

const status = text.pipe(callsQuery.shape.status.unwrap()).describe('404|4xx');

const filters = {
  key: id.optional(),
  route: text.optional(),
  status: status.optional(),
  from: isoTime.optional(),
  to: isoTime.optional(),
  limit: count.optional(),
  cursor: text.optional(),
};

export const callCommands: readonly Command[] = [
  command({
    name: 'call list',
    summary: 'List the calls of an organisation, newest first; --cursor continues after a page',
    options: { org: id, ...filters },
    run: ({ org, key, ...filters }, { call }) =>
      call('gateway', `GET /admin/organisations/${org}/calls`, { query: { ...filters, key_id: key } }),
  }),
  command({
    name: 'placement-key calls',
    summary: 'List the calls with placement keys, newest first; --cursor continues after a page',
    options: filters,
    run: ({ key, ...others }, { call }) =>
      call('gateway', 'GET /admin/placement-keys/calls', { query: { ...others, key_id: key } }),
  }),
];
