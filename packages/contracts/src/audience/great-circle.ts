/**
 * The only rule of distance: great circle on a sphere, haversine in double precision. Every engine decides with it who is inside (the index
 * uses it for all members near the edge), so that all counts agree exactly.
 */
export type Position = { readonly latitude: number; readonly longitude: number };

/** Mean radius of the earth (IUGG, R1). The earth is treated as a sphere; `docs/prices.md` says what that means for callers. */
export const EARTH_RADIUS_METRES = 6_371_008.8;
/** The international mile, by definition. */
const METRES_PER_MILE = 1609.344;
const RADIANS_PER_DEGREE = Math.PI / 180;
export function greatCircleMetres(a: Position, b: Position): number {
  const latitudes = Math.sin(((b.latitude - a.latitude) * RADIANS_PER_DEGREE) / 2) ** 2;
  const longitudes = Math.sin(((b.longitude - a.longitude) * RADIANS_PER_DEGREE) / 2) ** 2;
  const cosines = Math.cos(a.latitude * RADIANS_PER_DEGREE) * Math.cos(b.latitude * RADIANS_PER_DEGREE);
  return 2 * EARTH_RADIUS_METRES * Math.asin(Math.sqrt(Math.min(1, latitudes + cosines * longitudes)));
}

/** A position on the edge counts as inside. */
export function isWithin(
  circle: Position & { readonly radiusMiles: number },
  { latitude, longitude }: Position,
): boolean {
  return greatCircleMetres(circle, { latitude, longitude }) <= radiusMetres(circle.radiusMiles);
}

export function radiusMetres(radiusMiles: number): number {
  return radiusMiles * METRES_PER_MILE;
}
