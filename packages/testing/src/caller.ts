/** Caller contexts as the gateway signs them. */
import { type CallerContext, callerContextHeader } from '@offer-ads/contracts/internal/caller-context';
import { signCallerContext } from '@offer-ads/platform/calls/caller-context';

/** Secret of every service under test. */
export const testContextSecret = 'a-secret-that-only-tests-ever-use-0123456789';

/** Valid for a test of any length and with any clock. */
const FAR_FUTURE_MS = Date.UTC(2100, 0, 1);

/** A caller of an approved British organisation in TEST mode that has accepted the terms. Give only the facts that matter to the test. */
export function callerContext(
  facts: Partial<CallerContext> & Pick<CallerContext, 'audience'>,
): CallerContext {
  return {
    validUntil: FAR_FUTURE_MS,
    organisationId: 1,
    mode: 'TEST',
    personId: 1,
    keyId: 1,
    mailbox: 'mailbox-of-tests',
    network: 'network-of-tests',
    currency: 'GBP',
    country: 'GB',
    tradingName: 'Corner Cafe',
    quota: { perPerson: 100, perOrganisation: 500 },
    termsAccepted: true,
    spending: { spender: 'key/1', access: 'full', perDayMinor: null, perMonthMinor: null },
    organisationApproved: true,
    ...facts,
  };
}

/** The header that identifies this caller to a service. */
export function signedCaller(
  facts: Partial<CallerContext> & Pick<CallerContext, 'audience'>,
  secret = testContextSecret,
): Record<typeof callerContextHeader, string> {
  return { [callerContextHeader]: signCallerContext(secret, callerContext(facts)) };
}
