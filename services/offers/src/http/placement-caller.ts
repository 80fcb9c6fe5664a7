/** Who asks for placements: resolved by the gateway from the placement key, and signed by it. */
import type { IncomingMessage } from 'node:http';
import {
  type PlacementCaller,
  placementCaller,
  placementCallerHeader,
} from '@offer-ads/contracts/internal/placement-caller';
import { signedHeader } from '@offer-ads/platform/calls/caller-context';
import type { Clock } from '@offer-ads/platform/process/clock';
import type { RequestHandler, Response } from 'express';

type Expected = { readonly contextSecret: string; readonly clock: Clock };

/** For requests that bypass express. @throws {Fault} 401 unless the caller is genuine */
export function placementCallerVerifier(o: Expected): (req: IncomingMessage) => PlacementCaller {
  const expected = { secret: o.contextSecret, audience: 'offers', clock: o.clock } as const;
  return signedHeader(expected, placementCallerHeader, placementCaller);
}

/** Before the body is read: 401 unless the caller is genuine. */
export function requirePlacementCaller(o: Expected): RequestHandler {
  const callerOf = placementCallerVerifier(o);
  return (req, res, next) => {
    res.locals['caller'] = callerOf(req);
    next();
  };
}

export function placementCallerOf(res: Response): PlacementCaller {
  return res.locals['caller'] as PlacementCaller;
}
