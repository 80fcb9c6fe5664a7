/**
 * Rounds a member's position, so that it is no more precise than the service may know (decision 152, rounded positions). The grid has a
 * number of decimal places. With two decimals, a step is 1.1 km from north to south; from east to west it is less, depending on the
 * latitude: 0.7 km in London.
 */
import type { Position } from './great-circle.ts';

/** 0.11 m: documents and the index store whole microdegrees. */
export const FINEST_DECIMALS = 6;

/** Rounding twice gives the same result as rounding once. */
export function coarsePosition({ latitude, longitude }: Position, decimals: number): Position {
  const steps = 10 ** decimals;
  // Without `+ 0` the result could be -0, which MongoDB distinguishes from 0.
  const round = (degrees: number) => Math.round(degrees * steps) / steps + 0;
  return { latitude: round(latitude), longitude: round(longitude) };
}
