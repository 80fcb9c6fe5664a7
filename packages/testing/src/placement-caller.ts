/** Callers of placement requests, as the gateway signs them. */
import { type PlacementCaller, placementCallerHeader } from '@offer-ads/contracts/internal/placement-caller';
import { signCallerContext } from '@offer-ads/platform/calls/caller-context';
import { testContextSecret } from './caller.ts';

/** The header of a caller with a TEST placement key. Give only the facts that matter to the test. */
export function signedPlacementCaller(
  facts: Partial<PlacementCaller> = {},
): Record<typeof placementCallerHeader, string> {
  // Valid for a test of any length and with any clock.
  const validUntil = Date.UTC(2100, 0, 1);
  const caller = { audience: 'offers', validUntil, mode: 'TEST', placementKeyId: 1, ...facts } as const;
  return { [placementCallerHeader]: signCallerContext(testContextSecret, caller) };
}
