/** The people of an organisation, identified by their email address. */
import { peopleReply } from '@offer-ads/contracts/admin/gateway-api';
import { role } from '@offer-ads/contracts/events/gateway';
import { type Command, command, email, id } from '../../command.ts';
import type { Tools } from '../../tools.ts';

const actions = {
  'person reinvite': {
    action: 'invitation',
    summary: 'Mail an invited person a new link; at most a few a day',
  },
  'person disable': {
    action: 'disable',
    summary: 'Disable a person and the keys that they created or rolled',
  },
  'person enable': { action: 'enable', summary: 'Enable a person again' },
  'session end': { action: 'end-sessions', summary: 'Sign a person out of the portal everywhere' },
} as const;

const roleOption = role.describe(role.options.join('|'));

export const peopleCommands: readonly Command[] = [
  command({
    name: 'person list',
    summary: 'List the people of an organisation',
    options: { org: id, email: email.optional() },
    run: async (o, { call }) => {
      const { people } = peopleReply.parse(await call('gateway', `GET /admin/organisations/${o.org}/people`));
      return { people: people.filter((person) => o.email === undefined || person.email === o.email) };
    },
  }),
  command({
    name: 'person invite',
    summary: 'Add a person to an organisation and mail them a link to the portal',
    options: { org: id, email, role: roleOption.default('developer') },
    run: ({ org, ...json }, { call }) => call('gateway', `POST /admin/organisations/${org}/people`, { json }),
  }),
  ...Object.entries(actions).map(([name, { action, summary }]) =>
    command({
      name,
      summary,
      options: { org: id, email },
      run: (o, tools) => onPerson(action, o, tools),
    }),
  ),
  command({
    name: 'person role',
    summary: 'Change the role of a person; their keys continue to work',
    options: { org: id, email, role: roleOption },
    run: (o, tools) => onPerson('role', o, tools),
  }),
];

function onPerson(action: string, { org, ...json }: { org: number; email: string }, { call }: Tools) {
  return call('gateway', `POST /admin/organisations/${org}/people/${action}`, { json });
}
