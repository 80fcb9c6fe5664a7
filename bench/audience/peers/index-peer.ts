/** The audience index, in this process, from columns in memory. */

import { fromMicrodegrees } from '@offer-ads/contracts/audience/great-circle';
import { memberGenders } from '@offer-ads/contracts/values/primitives';
import {
  type AudienceIndex,
  type IndexedMember,
  startAudienceBuild,
} from '../../../services/pricing/src/audience-index/audience-index.ts';
import { interestsOf, type Population } from '../members/population.ts';

export async function buildIndex(population: Population): Promise<AudienceIndex> {
  const build = startAudienceBuild(population.size);
  for (let row = 0; row < population.size; row += 1) build.add(memberOf(population, row));
  return build.finish();
}

export function memberOf(population: Population, row: number): IndexedMember {
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
