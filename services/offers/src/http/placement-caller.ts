/** Who asks for placements: resolved by the gateway from the placement key, and signed by it. */
import type { IncomingMessage } from 'node:http';
import {
  type PlacementCaller,
  placementCaller,
  placementCallerHeader,
} from '@offer-ads/contracts/internal/placement-caller';
import { signedHeader } from '@offer-ads/platform/calls/caller-context';
import type { Clock } from '@offer-ads/platform/process/clock';

/** @throws {Fault} 401 unless the caller is genuine */
export function verifyPlacementCaller(o: {
  readonly contextSecret: string;
  readonly clock: Clock;
}): (req: IncomingMessage) => PlacementCaller {
  const expected = { secret: o.contextSecret, audience: 'offers', clock: o.clock } as const;
  return signedHeader(expected, placementCallerHeader, placementCaller);
}
