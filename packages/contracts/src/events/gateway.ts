/** Events of the gateway: organisations and people. */
import { z } from 'zod';
import type { BillingDetails } from '../values/billing-details.ts';
import { mailAddress } from '../values/mail-address.ts';
import { country, currency, instant, organisationId, personId } from '../values/primitives.ts';
import { declareEvent } from './event-declaration.ts';

export const role = z.enum(['admin', 'developer', 'marketer', 'finance', 'viewer']);
export type Role = z.infer<typeof role>;

export const billingDetails = z.object({
  address: z.array(z.string()).meta({
    description: 'The lines, without name and country. Empty: the organisation has not given its address.',
  }),
  vatNumber: z
    .string()
    .nullable()
    .meta({ description: 'With its prefix, without blanks, such as DE123456789.' }),
  purchaseOrder: z.string().nullable().meta({ description: "The customer's own reference." }),
}) satisfies z.ZodType<BillingDetails>;

/** All facts of an organisation that other services know. A later version of the subject replaces an earlier one. */
const organisationFacts = z.object({
  organisationId,
  name: z.string(),
  tradingName: z.string(),
  country,
  currency,
  enabled: z.boolean(),
  billingDetails: billingDetails.optional().meta({
    description:
      'Always present, except in events of a release before this field: they say nothing about the details.',
  }),
  people: z.array(
    z.object({
      personId,
      email: mailAddress,
      role,
      enabled: z.boolean(),
      awaited: z.boolean().optional().meta({
        description:
          "True: somebody of the organisation has invited the address, and nobody has signed in with it yet. It may be a stranger's address, so only the invitation is sent there.",
      }),
    }),
  ),
});
export type OrganisationFacts = z.infer<typeof organisationFacts>;

export const OrganisationRegistered = declareEvent({
  name: 'OrganisationRegistered',
  version: 1,
  owner: 'gateway',
  consumers: ['billing', 'notifier'],
  schema: organisationFacts,
  meaning: 'An advertiser organisation was registered.',
});

export const OrganisationChanged = declareEvent({
  name: 'OrganisationChanged',
  version: 1,
  owner: 'gateway',
  consumers: ['billing', 'notifier'],
  schema: organisationFacts,
  meaning: 'Names, billing details, people or status of an organisation changed; carries all facts.',
});

export const OrganisationApproved = declareEvent({
  name: 'OrganisationApproved',
  version: 1,
  owner: 'gateway',
  consumers: ['notifier'],
  schema: z.object({ organisationId }),
  meaning:
    'The platform team approved an organisation: it may use LIVE mode, and its prices count real members.',
});

export const OrganisationApprovalWithdrawn = declareEvent({
  name: 'OrganisationApprovalWithdrawn',
  version: 1,
  owner: 'gateway',
  consumers: ['notifier'],
  schema: z.object({ organisationId, reason: z.string().meta({ description: 'For the organisation.' }) }),
  meaning:
    'The platform team withdrew the approval of an organisation: it keeps its LIVE offers and can buy no more.',
});

/** A one-time credential: it may appear only in the mail. */
const signInUrl = z.url().meta({ description: 'A one-time link that signs in to the portal: a credential.' });

export const SignInRequested = declareEvent({
  name: 'SignInRequested',
  version: 1,
  owner: 'gateway',
  consumers: ['notifier'],
  schema: z.object({ organisationId, personId, email: mailAddress, signInUrl, expiresAt: instant }),
  meaning: 'A person asked for a one-time link to sign in to the portal.',
  credentials: ['signInUrl'],
});

export const PersonInvited = declareEvent({
  name: 'PersonInvited',
  version: 1,
  owner: 'gateway',
  consumers: ['notifier'],
  schema: z.object({
    organisationId,
    organisationName: z.string(),
    personId,
    email: mailAddress,
    role,
    invitedBy: mailAddress.nullable().meta({ description: 'Null: the platform team.' }),
    signInUrl,
    expiresAt: instant,
  }),
  meaning: 'A person was invited to an organisation; carries their first one-time link to the portal.',
  credentials: ['signInUrl'],
});

export const SignUpRequested = declareEvent({
  name: 'SignUpRequested',
  version: 1,
  owner: 'gateway',
  consumers: ['notifier'],
  // Contains no text from the form: the mail goes to an unverified address and must not carry a stranger's words.
  schema: z.object({
    email: mailAddress,
    country: country.meta({
      description: 'The country from the form: the mail formats times as usual there.',
    }),
    hasPlace: z
      .boolean()
      .meta({ description: 'Whether the address can already sign in to an organisation.' }),
    url: z.url().meta({
      description:
        'A one-time link to the portal (a credential): to register, or to sign in when `hasPlace` is true.',
    }),
    expiresAt: instant,
  }),
  meaning: 'Somebody asked to register an organisation; carries the link that proves the address.',
  credentials: ['url'],
});
