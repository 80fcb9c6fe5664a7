/** The caller of a request: resolved once by the gateway and signed. Services trust nothing else about the caller. */
import { z } from 'zod';
import { keyAccess, spendingLimit } from '../values/key-rights.ts';
import { country, currency, mode, organisationId, personId, serviceNames } from '../values/primitives.ts';

/** What the caller may spend; billing counts it where money moves. */
export const spending = z.object({
  /** `key/7`, counted together with the keys that were rolled into it, or `person/3`. */
  spender: z.string().max(64),
  access: keyAccess,
  perDayMinor: spendingLimit,
  perMonthMinor: spendingLimit,
});
export type Spending = z.infer<typeof spending>;

export const callerContext = z.object({
  /** The service that this token is for; all others refuse it. */
  audience: z.enum(serviceNames),
  /** Unix time in milliseconds after which the token is refused. */
  validUntil: z.int().positive(),
  organisationId,
  mode,
  /** Null when the system itself continues an organisation's work, for example to finish a creation. */
  personId: personId.nullable(),
  keyId: z.int().positive().nullable(),
  /** For pricing, which counts by it: a keyed hash of the person's mail address, the same in all organisations. Null for others, and without a person. */
  mailbox: z.string().max(64).nullable(),
  /** For pricing, which counts by it: a keyed hash of the caller's IP address (for IPv6 of its /64). Null for others, and without a waiting caller. */
  network: z.string().max(64).nullable(),
  currency,
  country,
  tradingName: z.string(),
  /** Most offers that may be neither deleted nor Ended, in this mode. */
  quota: z.object({ perPerson: z.int().nonnegative(), perOrganisation: z.int().nonnegative() }),
  termsAccepted: z.boolean(),
  spending,
  /** False: the platform team has not approved the organisation. It has no LIVE mode, and its prices count made-up members. */
  organisationApproved: z.boolean(),
  /** For estimates in TEST mode: how far the organisation's test clock is ahead of the real time (decision 216, test clock). */
  testClockAheadSeconds: z.int().nonnegative().optional(),
});
export type CallerContext = z.infer<typeof callerContext>;

/** Header with the signed context. The gateway removes it from requests from outside. */
export const callerContextHeader = 'x-caller-context';
/** How many more milliseconds the caller will wait, counted from when the request's body has arrived. */
export const requestBudgetHeader = 'x-request-budget-ms';
export const requestIdHeader = 'x-request-id';
