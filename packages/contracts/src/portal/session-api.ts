/**
 * Sign-in to the portal, under `/portal/api`. A refusal is a 4xx with `{message}`. Unsafe methods of signed-in people need
 * `X-CSRF-Token` with the token of the session.
 */
import { z } from 'zod';
import { role } from '../events/gateway.ts';
import { enteredMailAddress } from '../values/mail-address.ts';
import { country, currency, GREATEST_ID, instant, organisationId, personId } from '../values/primitives.ts';

/**
 * Parts of the portal. `view-offers`: reading offers and their results; `offers`: creating and changing them; `organisation`: its names and
 * quotas; `billing`: balance, invoices and billing details; `terms`: accepting them; `calls`: the call log;
 * `key-rights`: what keys may do and spend, and what people may spend.
 */
export const permission = z.enum([
  'view-offers',
  'offers',
  'keys',
  'calls',
  'key-rights',
  'webhooks',
  'people',
  'terms',
  'billing',
  'organisation',
]);
export type Permission = z.infer<typeof permission>;

/** POST /portal/api/sign-in */
export const signInRequest = z.object({ email: enteredMailAddress });
/** Its reply, 202: the same for known and unknown addresses. */
export const signInReply = z.object({ message: z.string() });
export type SignInReply = z.infer<typeof signInReply>;

/** POST /portal/api/sign-in/complete: the part of the link after the `#`. */
export const signInCompletion = z.object({ token: z.string().max(200) });

/** POST /portal/api/sign-in/link: who signs in with it. The body is a completion, and the link stays unused. */
export const signInLinkReply = z.object({ email: z.string(), organisation: z.string() });
export type SignInLinkReply = z.infer<typeof signInLinkReply>;

const organisationNamed = z.object({ id: organisationId, name: z.string(), tradingName: z.string(), role });

/** GET /portal/api/session; also the reply to a completed sign-in and to a switch of the organisation. */
export const sessionReply = z.object({
  person: z.object({ id: personId, email: z.string() }),
  organisation: z.object({
    id: organisationId,
    name: z.string(),
    tradingName: z.string(),
    country,
    currency,
    approved: z.boolean().meta({
      description:
        'False: the platform team has not approved the organisation yet. It has no LIVE mode, and its prices count made-up members.',
    }),
    withdrawal: z.object({ at: instant, reason: z.string() }).nullable().meta({
      description:
        'Set when the platform team has withdrawn the approval: LIVE offers can be read, paused, resumed and deleted, and nothing new can be bought.',
    }),
  }),
  role,
  permissions: z.array(permission),
  /** The other organisations of the same email address; switch by POST /portal/api/session/organisation. */
  otherOrganisations: z.array(organisationNamed),
  /** The value of the header X-CSRF-Token; it changes with each switch. */
  csrfToken: z.string(),
  /** The end of the session if it is not used again. */
  expiresAt: instant,
});
export type SessionReply = z.infer<typeof sessionReply>;

/** POST /portal/api/session/organisation */
export const organisationSwitch = z.object({ organisationId: organisationId.max(GREATEST_ID) });

/** DELETE /portal/api/sessions/{id} */
export const sessionNamed = z.object({ id: z.uuid() });

/** GET /portal/api/sessions: all sessions of the email address, last used first. */
export const sessionsReply = z.object({
  sessions: z.array(
    z.object({
      id: z.uuid(),
      organisation: z.object({ id: organisationId, name: z.string() }),
      createdAt: instant,
      lastUsedAt: instant,
      /** Whether it is the session of this request. */
      current: z.boolean(),
    }),
  ),
});
export type SessionsReply = z.infer<typeof sessionsReply>;
