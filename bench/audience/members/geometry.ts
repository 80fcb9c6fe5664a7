/** Boxes around circles, in microdegrees. */
import { radiusRadians, type Target } from '@offer-ads/contracts/audience/target';

type Circle = Pick<Target, 'latitude' | 'longitude' | 'radiusMiles'>;
type BoxE6 = {
  readonly south: number;
  readonly north: number;
  readonly west: number;
  readonly east: number;
};

const radians = (degrees: number) => (degrees * Math.PI) / 180;
const FULL_TURN_E6 = 360_000_000;
const HALF_TURN_E6 = 180_000_000;

/** Boxes that contain the circle: two across the date line, all longitudes around a pole. Slightly too large. */
export function boxesOf({ latitude, longitude, radiusMiles }: Circle): BoxE6[] {
  const angle = radiusRadians(radiusMiles);
  const e6 = (angle: number) => Math.ceil(((angle * 180) / Math.PI) * 1e6) + 1;
  const [latitudeE6, longitudeE6] = [Math.round(latitude * 1e6), Math.round(longitude * 1e6)];
  const south = Math.max(latitudeE6 - e6(angle), -90_000_000);
  const north = Math.min(latitudeE6 + e6(angle), 90_000_000);
  if (south === -90_000_000 || north === 90_000_000)
    return [{ south, north, west: -HALF_TURN_E6, east: HALF_TURN_E6 }];
  const reach = e6(Math.asin(Math.sin(angle) / Math.cos(radians(latitude))));
  const [west, east] = [longitudeE6 - reach, longitudeE6 + reach];
  if (west < -HALF_TURN_E6) {
    return [
      { south, north, west: -HALF_TURN_E6, east },
      { south, north, west: west + FULL_TURN_E6, east: HALF_TURN_E6 },
    ];
  }
  if (east > HALF_TURN_E6) {
    return [
      { south, north, west, east: HALF_TURN_E6 },
      { south, north, west: -HALF_TURN_E6, east: east - FULL_TURN_E6 },
    ];
  }
  return [{ south, north, west, east }];
}
