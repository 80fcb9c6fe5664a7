/** Who calls: resolved once by the gateway, signed, and the only thing about the caller that a service trusts. */
import { z } from 'zod';
import { country, currency, mode, organisationId, personId, serviceNames } from '../values/primitives.ts';

export const callerContext = z.object({
  /** The service that this token is for; any other refuses it. */
  audience: z.enum(serviceNames),
  /** Unix time in milliseconds after which the token is refused. */
  validUntil: z.int().positive(),
  organisationId,
  mode,
  /** Null when the system itself goes on with an organisation's work, for example to settle a creation. */
  personId: personId.nullable(),
  keyId: z.int().positive().nullable(),
  /** A keyed hash of the person's mail address, the same in every organisation; null where there is no person. */
  mailbox: z.string().max(64).nullable(),
  /** A keyed hash of the caller's address, of IPv6 the /64; null when nobody waits for the answer. */
  network: z.string().max(64).nullable(),
  currency,
  country,
  tradingName: z.string(),
  /** Most offers that may be neither deleted nor Ended, in this mode. */
  quota: z.object({ perPerson: z.int().nonnegative(), perOrganisation: z.int().nonnegative() }),
  termsAccepted: z.boolean(),
  /** False: the platform team has not approved the organisation. It has no LIVE mode, and its counts are of made-up members. */
  organisationApproved: z.boolean(),
});
export type CallerContext = z.infer<typeof callerContext>;

/** Header that carries the signed context. Dropped by the gateway when it comes from outside. */
export const callerContextHeader = 'x-caller-context';
/** Remaining milliseconds that the caller will wait, counted from when the request's body has arrived. */
export const requestBudgetHeader = 'x-request-budget-ms';
/**
 * Instant by which the service's store must have committed what is asked, in Unix milliseconds of that store's clock. It is told when
 * the whole request is sent at once and the caller has heard that clock before. A service that reads the request late knows by it.
 */
export const commitByHeader = 'x-commit-by';
/** What the clock of the service's store shows, in Unix milliseconds: in replies to whoever sends a budget. */
export const storeTimeHeader = 'x-store-time';
export const requestIdHeader = 'x-request-id';
