/** Callers as the gateway would vouch for them. */
import { type CallerContext, callerContextHeader } from '@offer-ads/contracts/internal/caller-context';
import { signCallerContext } from '@offer-ads/platform/calls/caller-context';

/** Secret of every service under test. */
export const testContextSecret = 'a-secret-that-only-tests-ever-use-0123456789';

/** Good for a test of any length, whatever its clock says. */
const FAR_FUTURE_MS = Date.UTC(2100, 0, 1);

/** A caller of an approved British organisation in TEST mode that has accepted the terms; name only what matters to the test. */
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
    organisationApproved: true,
    ...facts,
  };
}

/** The header that makes a service take the request for this caller's. */
export function signedCaller(
  facts: Partial<CallerContext> & Pick<CallerContext, 'audience'>,
  secret = testContextSecret,
): Record<typeof callerContextHeader, string> {
  return { [callerContextHeader]: signCallerContext(secret, callerContext(facts)) };
}
