/** Organisations, their terms and their people. */
import { peopleReply } from '@offer-ads/contracts/admin-api';
import { role } from '@offer-ads/contracts/gateway-events';
import { country } from '@offer-ads/contracts/primitives';
import { type Command, command, count, currencyOption, email, id, modeOption, text } from '../command.ts';

const roleOption = role.describe(role.options.join('|'));

export const organisationCommands: readonly Command[] = [
  command({
    name: 'org create',
    summary: 'Register an advertiser organisation with its first admin',
    options: {
      name: text,
      'trading-name': text,
      country: country.describe('CODE'),
      currency: currencyOption,
      'admin-email': email,
    },
    run: (o, { call }) => {
      const { 'trading-name': tradingName, 'admin-email': adminEmail, ...same } = o;
      const json = { ...same, tradingName, adminEmail };
      return call('gateway', { method: 'POST', path: '/admin/organisations', json });
    },
  }),
  command({
    name: 'org list',
    summary: 'List the organisations',
    options: {},
    run: (_o, { call }) => call('gateway', { method: 'GET', path: '/admin/organisations' }),
  }),
  command({
    name: 'org show',
    summary: 'Show one organisation',
    options: { org: id },
    run: (o, { call }) => call('gateway', { method: 'GET', path: `/admin/organisations/${o.org}` }),
  }),
  ...(['disable', 'enable'] as const).map((action) =>
    command({
      name: `org ${action}`,
      summary: action === 'disable' ? 'Shut out an organisation and all its keys' : 'Let it in again',
      options: { org: id },
      run: (o, { call }) =>
        call('gateway', { method: 'POST', path: `/admin/organisations/${o.org}/${action}` }),
    }),
  ),
  command({
    name: 'org quota',
    summary: 'Set how many offers may be neither deleted nor ended',
    options: { org: id, mode: modeOption, 'per-org': count.optional(), 'per-person': count.optional() },
    run: (o, { call }) =>
      call('gateway', {
        method: 'POST',
        path: `/admin/organisations/${o.org}/quota`,
        json: { mode: o.mode, perOrganisation: o['per-org'], perPerson: o['per-person'] },
      }),
  }),
  command({
    name: 'terms publish',
    summary: 'Publish a version of the advertising terms, which everybody must accept anew',
    options: { version: text },
    run: (o, { call }) => call('gateway', { method: 'POST', path: '/admin/terms', json: o }),
  }),
  command({
    name: 'terms accept',
    summary: 'Record that an organisation has accepted the current terms',
    options: { org: id },
    run: (o, { call }) =>
      call('gateway', { method: 'POST', path: `/admin/organisations/${o.org}/accept-terms` }),
  }),
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
    summary: 'Add a person to an organisation',
    options: { org: id, email, role: roleOption.default('developer') },
    run: ({ org, ...json }, { call }) =>
      call('gateway', { method: 'POST', path: `/admin/organisations/${org}/people`, json }),
  }),
  ...(['disable', 'enable'] as const).map((action) =>
    command({
      name: `person ${action}`,
      summary: action === 'disable' ? 'Shut out a person and their keys' : 'Let a person in again',
      options: { org: id, email },
      run: ({ org, ...json }, { call }) =>
        call('gateway', { method: 'POST', path: `/admin/organisations/${org}/people/${action}`, json }),
    }),
  ),
];
