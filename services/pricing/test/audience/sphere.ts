/** Places at a distance on the sphere. */

type Place = { readonly latitude: number; readonly longitude: number };

const EARTH_RADIUS_METRES = 6_371_008.8;
const radians = (degrees: number) => (degrees * Math.PI) / 180;
const degrees = (angle: number) => (angle * 180) / Math.PI;

/** The end of a way along the great circle that starts in this direction. */
export function travelled(from: Place, bearingDegrees: number, metres: number): Place {
  const [latitude, bearing, angle] = [
    radians(from.latitude),
    radians(bearingDegrees),
    metres / EARTH_RADIUS_METRES,
  ];
  const sine =
    Math.sin(latitude) * Math.cos(angle) + Math.cos(latitude) * Math.sin(angle) * Math.cos(bearing);
  const eastwards = Math.sin(bearing) * Math.sin(angle) * Math.cos(latitude);
  const turn = Math.atan2(eastwards, Math.cos(angle) - Math.sin(latitude) * sine);
  const longitude = ((from.longitude + degrees(turn) + 540) % 360) - 180;
  return { latitude: degrees(Math.asin(Math.max(-1, Math.min(1, sine)))), longitude };
}
