/** Who asks for placements: resolved by the gateway from the placement key, and signed by it. */
import {
  type PlacementCaller,
  placementCaller,
  placementCallerHeader,
} from '@offer-ads/contracts/internal/placement-caller';
import { signedHeader } from '@offer-ads/platform/calls/caller-context';
import type { Clock } from '@offer-ads/platform/process/clock';
import type { RequestHandler, Response } from 'express';

/** Before the body is read: 401 unless the caller is genuine. */
export function requirePlacementCaller(o: {
  readonly contextSecret: string;
  readonly clock: Clock;
}): RequestHandler {
  const expected = { secret: o.contextSecret, audience: 'offers', clock: o.clock } as const;
  const callerOf = signedHeader(expected, placementCallerHeader, placementCaller);
  return (req, res, next) => {
    res.locals['caller'] = callerOf(req);
    next();
  };
}

export function placementCallerOf(res: Response): PlacementCaller {
  return res.locals['caller'] as PlacementCaller;
}
