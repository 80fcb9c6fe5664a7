/** API keys. */
import { mode } from '@offer-ads/contracts/values/primitives';
import { z } from 'zod';
import { type Command, command, email, id, isoTime, text } from '../../command.ts';

/** `none` creates a key like those from before keys had modes; the API refuses it with a message. */
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
    summary: 'Create an API key; it is shown only once',
    options: {
      org: id,
      mode: keyMode,
      expires: isoTime.optional(),
      person: email.optional(),
      name: text.optional(),
      'per-minute': perMinute.optional(),
    },
    run: (o, { call }) =>
      call('gateway', 'POST /admin/keys', {
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
    run: (o, { call }) => call('gateway', `POST /admin/keys/${o.id}/roll`),
  }),
  command({
    name: 'key disable',
    summary: 'Disable an API key',
    options: { id },
    run: (o, { call }) => call('gateway', `POST /admin/keys/${o.id}/disable`),
  }),
  command({
    name: 'key limit',
    summary: 'Set or remove a rate limit of an API key, in addition to the limit of the client IP',
    options: { id, 'per-minute': perMinute },
    run: (o, { call }) =>
      call('gateway', `POST /admin/keys/${o.id}/limit`, { json: { requestsPerMinute: o['per-minute'] } }),
  }),
  command({
    name: 'key list',
    summary: 'List the API keys of an organisation, without the secret parts',
    options: { org: id },
    run: (o, { call }) => call('gateway', `GET /admin/organisations/${o.org}/keys`),
  }),
];
