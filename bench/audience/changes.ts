/** The time of a change of one member, at full size. Afterwards every count must still be right. */

import type { Target } from '@offer-ads/contracts/audience/target';
import { chance } from '@offer-ads/testing/random';
import type { AudienceIndex } from '../../services/pricing/src/audience-index/audience-index.ts';
import { watchForeignLoad } from '../machine-load.ts';
import { Unequal } from './counts.ts';
import { type ChangeName, changeNames } from './members/names.ts';
import { bitsOfInterests, type Population } from './members/population.ts';
import { bruteForce } from './peers/brute-force.ts';
import { memberOf } from './peers/index-peer.ts';
import { interestIds, worded } from './queries.ts';

export type Changes = {
  /** Milliseconds of each. */
  readonly took: ReadonlyMap<ChangeName, readonly number[]>;
  readonly bytesPerMember: { readonly before: number; readonly after: number };
  readonly foreignLoad: number;
};

const SEED = 99;
const OF_EACH = 50_000;
/** Until V8 has compiled hot code. */
const WARM_UP = 2_000;
const MILE_E6 = 14_000;
const MAX_INTERESTS = 8;

/** Changes the population too, so the stores cannot use it afterwards. */
export function measureChanges(o: {
  population: Population;
  index: AudienceIndex;
  targets: readonly Target[];
  report: (line: string) => void;
}): Changes {
  const { population, index } = o;
  const random = chance(SEED);
  const { latitudesE6, longitudesE6, interestBits } = population;
  const took = new Map<ChangeName, number[]>(changeNames.map((name) => [name, []]));
  let warm = false;
  const record = (name: ChangeName, began: number) => {
    const ms = performance.now() - began;
    if (warm) took.get(name)?.push(ms);
  };
  const put = (name: ChangeName, row: number) => {
    const member = memberOf(population, row);
    const began = performance.now();
    index.put(member);
    record(name, began);
  };
  const bytesPerMember = () => index.size().bytes / index.size().members;
  const before = bytesPerMember();
  const foreign = watchForeignLoad();
  for (let count = 0; count < WARM_UP + OF_EACH; count += 1) {
    warm = count >= WARM_UP;
    const row = random.below(population.size);
    const clamped = (e6: number, most: number) => Math.max(-most, Math.min(most, e6));
    latitudesE6[row] = clamped((latitudesE6[row] ?? 0) + random.below(2 * MILE_E6) - MILE_E6, 90_000_000);
    longitudesE6[row] = clamped((longitudesE6[row] ?? 0) + random.below(2 * MILE_E6) - MILE_E6, 180_000_000);
    put('a move of up to a mile', row);

    const [traveller, host] = [random.below(population.size), random.below(population.size)];
    latitudesE6[traveller] = latitudesE6[host] ?? 0;
    longitudesE6[traveller] = longitudesE6[host] ?? 0;
    put('a move to another city', traveller);

    const curious = random.below(population.size);
    const interests = Array.from({ length: random.below(MAX_INTERESTS) }, () => random.oneOf(interestIds));
    interestBits[curious] = bitsOfInterests(interests);
    put('other interests', curious);

    const banned = random.below(population.size);
    const began = performance.now();
    index.remove(population.memberIds[banned] ?? Number.NaN);
    record('a ban', began);
    put('the end of a ban', banned);
  }
  const foreignLoad = foreign();
  o.report('All changes made; looking at every member for each query again ...');
  for (const target of o.targets) {
    const [counted, expected] = [index.count(target), bruteForce(population, target)];
    if (counted !== expected)
      throw new Unequal(`after changes the index counts ${counted} and not ${expected}: ${worded(target)}`);
  }
  return { took, bytesPerMember: { before, after: bytesPerMember() }, foreignLoad };
}
