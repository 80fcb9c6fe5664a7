/** Events of the gateway: organisations and people. */
import { z } from 'zod';
import { country, currency, instant, organisationId, personId } from '../values/primitives.ts';
import { declareEvent } from './event-declaration.ts';

export const role = z.enum(['admin', 'developer', 'marketer']);
export type Role = z.infer<typeof role>;

/** The whole of what others know of an organisation; later versions of the subject replace earlier ones. */
const organisationFacts = z.object({
  organisationId,
  name: z.string(),
  tradingName: z.string(),
  country,
  currency,
  enabled: z.boolean(),
  people: z.array(
    z.object({
      personId,
      email: z.email(),
      role,
      enabled: z.boolean(),
      awaited: z.boolean().optional().meta({
        description:
          "True: somebody of the organisation has invited the address, and nobody has signed in with it yet. It may be a stranger's, so nothing but the invitation is sent there.",
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
  meaning: 'Names, people or standing of an organisation changed; carries all facts anew.',
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

/** Opens the portal for whoever holds it, once: it may stand in the mail and nowhere else. */
const signInUrl = z.url().meta({ description: 'Opens the portal once for whoever holds it.' });

export const SignInRequested = declareEvent({
  name: 'SignInRequested',
  version: 1,
  owner: 'gateway',
  consumers: ['notifier'],
  schema: z.object({ organisationId, personId, email: z.email(), signInUrl, expiresAt: instant }),
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
    email: z.email(),
    role,
    invitedBy: z.email().nullable().meta({ description: 'Null: the platform team.' }),
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
  // No words of whoever asked: a mail to a stranger must not carry what another stranger wrote.
  schema: z.object({
    email: z.email(),
    country: country.meta({
      description: 'Which was asked for: the mail writes its times as one does there.',
    }),
    hasPlace: z.boolean().meta({ description: 'Whether somebody may sign in with that address already.' }),
    url: z.url().meta({
      description:
        'Opens the portal once for whoever holds it: to register, or to sign in when there is a place.',
    }),
    expiresAt: instant,
  }),
  meaning: 'Somebody asked to register an organisation; carries the link that proves the address.',
  credentials: ['url'],
});
