/** API keys. */
import { mode } from '@offer-ads/contracts/values/primitives';
import { z } from 'zod';
import { type Command, command, email, id, isoTime, text } from '../../command.ts';

/** `none` makes a key as they were before keys had modes; the API refuses it with a message. */
const keyMode = z
  .enum(['test', 'live', 'none'], 'must be test, live or none')
  .transform((word) => (word === 'none' ? null : mode.parse(word.toUpperCase())))
  .describe('test|live|none');

const perMinute = z
  .string()
  .regex(/^(none|[1-9]\d{0,5})$/, 'must be a number of requests from 1, or none')
  .transform((word) => (word === 'none' ? null : Number(word)))
  .describe('N|none');

export const keyCommands: readonly Command[] = [
  command({
    name: 'key create',
    summary: 'Make an API key; it is shown this once',
    options: {
      org: id,
      mode: keyMode,
      expires: isoTime.optional(),
      person: email.optional(),
      name: text.optional(),
      'per-minute': perMinute.optional(),
    },
    run: (o, { call }) =>
      call('gateway', {
        method: 'POST',
        path: '/admin/keys',
        json: {
          organisationId: o.org,
          mode: o.mode,
          expiresAt: o.expires === undefined ? undefined : new Date(o.expires).toISOString(),
          personEmail: o.person,
          name: o.name,
          requestsPerMinute: o['per-minute'],
        },
      }),
  }),
  command({
    name: 'key roll',
    summary: 'Replace an API key for its owner; the old one stops working at once',
    options: { id },
    run: (o, { call }) => call('gateway', { method: 'POST', path: `/admin/keys/${o.id}/roll` }),
  }),
  command({
    name: 'key disable',
    summary: 'Stop an API key',
    options: { id },
    run: (o, { call }) => call('gateway', { method: 'POST', path: `/admin/keys/${o.id}/disable` }),
  }),
  command({
    name: 'key limit',
    summary: 'Give an API key a limit of its own beside that of the client IP, or take it away',
    options: { id, 'per-minute': perMinute },
    run: (o, { call }) =>
      call('gateway', {
        method: 'POST',
        path: `/admin/keys/${o.id}/limit`,
        json: { requestsPerMinute: o['per-minute'] },
      }),
  }),
  command({
    name: 'key list',
    summary: 'List the API keys of an organisation, never the keys themselves',
    options: { org: id },
    run: (o, { call }) => call('gateway', { method: 'GET', path: `/admin/organisations/${o.org}/keys` }),
  }),
];
