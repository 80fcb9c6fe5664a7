/** The caller of a placement request: resolved by the gateway from the placement key, and signed like the caller context. */
import { z } from 'zod';
import { mode, serviceNames } from '../values/primitives.ts';

export const placementCaller = z.object({
  /** The service that this token is for; all others refuse it. */
  audience: z.enum(serviceNames),
  /** Unix time in milliseconds after which the token is refused. */
  validUntil: z.int().positive(),
  /** Offers of this mode are shown. */
  mode,
  placementKeyId: z.int().positive(),
});
export type PlacementCaller = z.infer<typeof placementCaller>;

/** Header with the signed caller. The gateway removes it from requests from outside. */
export const placementCallerHeader = 'x-placement-caller';
