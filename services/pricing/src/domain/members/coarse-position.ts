/**
 * Where a member is, no finer than the service may know (decision 152, rounded positions): rounded to a grid of
 * decimal places. Of two decimals a step is 1.1 km from north to south, and from east to west the less the further
 * from the equator: 0.7 km in London.
 */
import type { Position } from '../great-circle.ts';

/** 0.11 m: documents and the index hold whole microdegrees. */
export const FINEST_DECIMALS = 6;

/** Rounding again changes nothing. */
export function coarsePosition({ latitude, longitude }: Position, decimals: number): Position {
  const steps = 10 ** decimals;
  // Without the sum, -0 would be kept, which MongoDB tells apart from 0.
  const round = (degrees: number) => Math.round(degrees * steps) / steps + 0;
  return { latitude: round(latitude), longitude: round(longitude) };
}
