/** API keys. */
import { keyAccess } from '@offer-ads/contracts/values/key-rights';
import { mode } from '@offer-ads/contracts/values/primitives';
import { z } from 'zod';
import { type Command, command, count, email, id, isoTime, modeOption, text } from '../../command.ts';

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

const access = keyAccess.describe('full|no-spending|read-only');
const addresses = text
  .transform((word) => (word === 'any' ? [] : word.split(',')))
  .describe('any|ADDRESS,RANGE,...');
export const spendingLimit = z
  .string()
  .regex(/^(none|\d{1,18})$/, 'must be an amount in minor units, or none')
  .transform((word) => (word === 'none' ? null : word))
  .describe('MINOR|none');
const rightsOptions = {
  access: access.optional(),
  addresses: addresses.optional(),
  'spend-per-day': spendingLimit.optional(),
  'spend-per-month': spendingLimit.optional(),
};
type RightsOptions = z.infer<z.ZodObject<typeof rightsOptions>>;
const rightsOf = (o: RightsOptions) => ({
  access: o.access,
  addresses: o.addresses,
  spendingPerDayMinor: o['spend-per-day'],
  spendingPerMonthMinor: o['spend-per-month'],
});

export const keyCommands: readonly Command[] = [
  command({
    name: 'key create',
    summary: 'Create an API key; it is shown only once',
    options: {
      org: id,
      mode: keyMode,
      expires: isoTime.optional(),
      email: email.optional(),
      name: text.optional(),
      'per-minute': perMinute.optional(),
      ...rightsOptions,
    },
    run: (o, { call }) =>
      call('gateway', 'POST /admin/keys', {
        json: {
          organisationId: o.org,
          mode: o.mode,
          expiresAt: o.expires === undefined ? undefined : new Date(o.expires).toISOString(),
          personEmail: o.email,
          name: o.name,
          requestsPerMinute: o['per-minute'],
          rights: rightsOf(o),
        },
      }),
  }),
  command({
    name: 'key rights',
    summary: 'Change what an API key may do, from where, and how much it may spend; what is left out stays',
    options: { key: id, ...rightsOptions },
    operand: 'key',
    run: (o, { call }) => call('gateway', `POST /admin/keys/${o.key}/rights`, { json: rightsOf(o) }),
  }),
  command({
    name: 'key roll',
    summary: 'Replace an API key for its owner; the old one stops working at once',
    options: { key: id },
    operand: 'key',
    run: (o, { call }) => call('gateway', `POST /admin/keys/${o.key}/roll`),
  }),
  command({
    name: 'key disable',
    summary: 'Disable an API key',
    options: { key: id },
    operand: 'key',
    run: (o, { call }) => call('gateway', `POST /admin/keys/${o.key}/disable`),
  }),
  command({
    name: 'key limit',
    summary: 'Set or remove a rate limit of an API key, in addition to the limit of the client IP',
    options: { key: id, 'per-minute': perMinute },
    operand: 'key',
    run: (o, { call }) =>
      call('gateway', `POST /admin/keys/${o.key}/limit`, { json: { requestsPerMinute: o['per-minute'] } }),
  }),
  command({
    name: 'key list',
    summary: 'List the API keys of an organisation, without the secret parts',
    options: { org: id },
    run: (o, { call }) => call('gateway', `GET /admin/organisations/${o.org}/keys`),
  }),
];

const placementsPerMinute = z
  .string()
  .regex(/^([1-9]\d{0,5}|1000000)$/, 'must be a number of requests from 1 to 1000000')
  .transform(Number)
  .describe('N');

/** With these keys the community platform asks which offers a member sees. */
export const placementKeyCommands: readonly Command[] = [
  command({
    name: 'placement-key create',
    summary: 'Create a placement key for the community platform; it is shown only once',
    options: {
      mode: modeOption,
      expires: isoTime.optional(),
      name: text.optional(),
      'per-minute': placementsPerMinute.optional(),
    },
    run: (o, { call }) =>
      call('gateway', 'POST /admin/placement-keys', {
        json: {
          mode: o.mode,
          expiresAt: o.expires === undefined ? undefined : new Date(o.expires).toISOString(),
          name: o.name,
          requestsPerMinute: o['per-minute'],
        },
      }),
  }),
  command({
    name: 'placement-key roll',
    summary: 'Replace a placement key; the old one works for --overlap-hours more, or stops at once',
    options: { key: id, 'overlap-hours': count.default(0) },
    operand: 'key',
    run: (o, { call }) =>
      call('gateway', `POST /admin/placement-keys/${o.key}/roll`, {
        json: { overlapHours: o['overlap-hours'] },
      }),
  }),
  command({
    name: 'placement-key disable',
    summary: 'Disable a placement key',
    options: { key: id },
    operand: 'key',
    run: (o, { call }) => call('gateway', `POST /admin/placement-keys/${o.key}/disable`),
  }),
  command({
    name: 'placement-key limit',
    summary: 'Set the rate limit of a placement key',
    options: { key: id, 'per-minute': placementsPerMinute },
    operand: 'key',
    run: (o, { call }) =>
      call('gateway', `POST /admin/placement-keys/${o.key}/limit`, {
        json: { requestsPerMinute: o['per-minute'] },
      }),
  }),
  command({
    name: 'placement-key list',
    summary: 'List the placement keys, without the secret parts',
    options: {},
    run: (_, { call }) => call('gateway', 'GET /admin/placement-keys'),
  }),
];
