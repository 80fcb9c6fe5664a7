/** Looks at every member by pricing's own rule of distance. All counts must equal this one. */
import { greatCircleMetres, radiusMetres } from '@offer-ads/contracts/audience/great-circle';
import type { Target } from '@offer-ads/contracts/audience/target';
import { boxesOf } from '../members/geometry.ts';
import { bitsOfGenders, bitsOfInterests, type Population } from '../members/population.ts';

/** @param beyondMetres counts as inside too; less than the hair by which boxes are too large */
export function bruteForce(population: Population, target: Target, beyondMetres = 0): number {
  const most = radiusMetres(target.radiusMiles) + beyondMetres;
  const { latitudesE6, longitudesE6, genderBits, interestBits } = population;
  const wanted = { genders: bitsOfGenders(target.gender), interests: bitsOfInterests(target.interests) };
  let found = 0;
  for (const { south, north, west, east } of boxesOf(target)) {
    for (let row = 0; row < population.size; row += 1) {
      const latitudeE6 = latitudesE6[row] ?? Number.NaN;
      if (!(latitudeE6 >= south && latitudeE6 <= north)) continue;
      const longitudeE6 = longitudesE6[row] ?? Number.NaN;
      if (!(longitudeE6 >= west && longitudeE6 <= east)) continue;
      if (wanted.genders !== 0 && ((genderBits[row] ?? 0) & wanted.genders) === 0) continue;
      if (wanted.interests !== 0 && ((interestBits[row] ?? 0) & wanted.interests) === 0) continue;
      const place = { latitude: latitudeE6 / 1e6, longitude: longitudeE6 / 1e6 };
      if (greatCircleMetres(target, place) <= most) found += 1;
    }
  }
  return found;
}
