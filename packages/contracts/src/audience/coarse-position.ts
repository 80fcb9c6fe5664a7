/**
 * Rounds a member's position, so that it is no more precise than the service may know (decision 152, rounded positions): to 0.01 degrees, which
 * is 1.1 km from north to south. From east to west it is less, depending on the latitude: 0.7 km in London.
 */
import type { Position } from './great-circle.ts';

const STEPS_PER_DEGREE = 100;

/** Rounding twice gives the same result as rounding once. */
export function coarsePosition({ latitude, longitude }: Position): Position {
  // Without `+ 0` the result could be -0, which MongoDB distinguishes from 0.
  const round = (degrees: number) => Math.round(degrees * STEPS_PER_DEGREE) / STEPS_PER_DEGREE + 0;
  return { latitude: round(latitude), longitude: round(longitude) };
}
