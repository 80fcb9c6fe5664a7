/** What an API key may do, beside what its organisation and its mode allow (decision 262, rights of a key). */
import { z } from 'zod';
import { minorUnits } from './primitives.ts';

/**
 * `read-only`: reads, and asks for estimates. `no-spending`: creates and changes too, but never pays from the balance; a person pays by the
 * payment link.
 */
export const keyAccess = z.enum(['full', 'no-spending', 'read-only']);
export type KeyAccess = z.infer<typeof keyAccess>;

export const MAX_ADDRESSES_OF_KEY = 20;

const notAnAddress = 'must be an IP address such as 192.0.2.7, or a range such as 192.0.2.0/24';
const address = z
  .union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], { error: notAnAddress })
  // An IPv4 address in the form of IPv6 would match nobody.
  .refine((text) => !(text.includes(':') && text.includes('.')), notAnAddress);

/** What may be ordered; null: any amount. Card payments count with VAT. */
export const spendingLimit = minorUnits
  .refine((amount) => !amount.startsWith('-'), 'must not be negative')
  .nullable();

export const keyRights = z.object({
  access: keyAccess,
  addresses: z
    .array(address)
    .max(MAX_ADDRESSES_OF_KEY, `must have at most ${MAX_ADDRESSES_OF_KEY} entries`)
    .meta({
      description: 'From where the key may be used: addresses and ranges (CIDR). Empty: from anywhere.',
    }),
  spendingPerDayMinor: spendingLimit.meta({ description: 'For a day, UTC; null: no limit.' }),
  spendingPerMonthMinor: spendingLimit.meta({ description: 'For a calendar month, UTC; null: no limit.' }),
});
export type KeyRights = z.infer<typeof keyRights>;

export const fullRights: KeyRights = {
  access: 'full',
  addresses: [],
  spendingPerDayMinor: null,
  spendingPerMonthMinor: null,
};

/** Of a new key: what is left out is not restricted. */
export const newKeyRights = z.object({
  access: keyRights.shape.access.default(fullRights.access),
  addresses: keyRights.shape.addresses.default([]),
  spendingPerDayMinor: keyRights.shape.spendingPerDayMinor.default(null),
  spendingPerMonthMinor: keyRights.shape.spendingPerMonthMinor.default(null),
});

/** What is left out stays. */
export const keyRightsChange = keyRights
  .partial()
  .refine((change) => Object.keys(change).length > 0, 'must name what changes');
export type KeyRightsChange = z.infer<typeof keyRightsChange>;
