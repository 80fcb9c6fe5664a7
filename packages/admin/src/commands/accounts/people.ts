/** The people of an organisation, identified by their email address. */
import { peopleReply } from '@offer-ads/contracts/admin/gateway-api';
import { role } from '@offer-ads/contracts/events/gateway';
import { type Command, command, email, id } from '../../command.ts';
import type { Tools } from '../../tools.ts';

const roleOption = role.describe(role.options.join('|'));

export const peopleCommands: readonly Command[] = [
  command({
    name: 'person list',
    summary: 'List the people of an organisation',
    options: { org: id, email: email.optional() },
    run: async (o, { call }) => {
      const reply = await call('gateway', { method: 'GET', path: `/admin/organisations/${o.org}/people` });
      const { people } = peopleReply.parse(reply);
      return { people: people.filter((person) => o.email === undefined || person.email === o.email) };
    },
  }),
  command({
    name: 'person invite',
    summary: 'Add a person to an organisation and mail them a link to the portal',
    options: { org: id, email, role: roleOption.default('developer') },
    run: ({ org, ...json }, { call }) =>
      call('gateway', { method: 'POST', path: `/admin/organisations/${org}/people`, json }),
  }),
  command({
    name: 'person reinvite',
    summary: 'Mail an invited person a new link; at most a few a day',
    options: { org: id, email },
    run: (o, tools) => onPerson('invitation', o, tools),
  }),
  command({
    name: 'person disable',
    summary: 'Disable a person and the keys that they created or rolled',
    options: { org: id, email },
    run: (o, tools) => onPerson('disable', o, tools),
  }),
  command({
    name: 'person enable',
    summary: 'Enable a person again',
    options: { org: id, email },
    run: (o, tools) => onPerson('enable', o, tools),
  }),
  command({
    name: 'person role',
    summary: 'Change the role of a person; their keys continue to work',
    options: { org: id, email, role: roleOption },
    run: (o, tools) => onPerson('role', o, tools),
  }),
  command({
    name: 'session end',
    summary: 'Sign a person out of the portal everywhere',
    options: { org: id, email },
    run: (o, tools) => onPerson('end-sessions', o, tools),
  }),
];

function onPerson(action: string, { org, ...json }: { org: number; email: string }, { call }: Tools) {
  return call('gateway', { method: 'POST', path: `/admin/organisations/${org}/people/${action}`, json });
}
