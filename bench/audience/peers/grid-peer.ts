/** The grid, in this process, from columns in memory. */

import { fromMicrodegrees } from '@offer-ads/contracts/audience/great-circle';
import { memberGenders } from '@offer-ads/contracts/values/primitives';
import { startGridBuild } from '../../../services/pricing/src/audience/build-grid.ts';
import type { Grid } from '../../../services/pricing/src/audience/grid.ts';
import type { CountedMember } from '../../../services/pricing/src/members/member-document.ts';
import { interestsOf, type Population } from '../members/population.ts';

export function buildGrid(population: Population): Grid {
  const build = startGridBuild();
  for (let row = 0; row < population.size; row += 1) build.add(memberOf(population, row));
  return build.finish();
}

export function memberOf(population: Population, row: number): CountedMember {
  const { memberIds, latitudesE6, longitudesE6, genderBits, interestBits } = population;
  const gender = memberGenders[31 - Math.clz32(genderBits[row] ?? 0)];
  if (gender === undefined) throw new RangeError(`nobody is in row ${row}`);
  return {
    memberId: memberIds[row] ?? Number.NaN,
    latitude: fromMicrodegrees(latitudesE6[row] ?? Number.NaN),
    longitude: fromMicrodegrees(longitudesE6[row] ?? Number.NaN),
    gender,
    interests: interestsOf(interestBits[row] ?? 0),
  };
}
