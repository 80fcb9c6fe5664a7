/** Where the circle is at first: the largest town of the organisation's country. */
import lines from 'virtual:map-data/largest-towns';
import { type Place, readCities } from '../../../map/cities.ts';

const london: Place = { latitude: 51.5074, longitude: -0.1278 };

export function firstPlace(country: string): Place {
  const { latitude, longitude } = readCities(lines).find((town) => town.country === country) ?? london;
  return { latitude, longitude };
}
