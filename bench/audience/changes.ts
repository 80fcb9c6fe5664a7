/**
 * The time of a change of one member, at full size; then 1,000 changes a second arrive while a thread builds the next grid: how long nothing else
 * could run. Afterwards every count must still be right.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type { Target } from '@offer-ads/contracts/audience/target';
import { chance } from '@offer-ads/testing/random';
import { startGridBuild } from '../../services/pricing/src/audience/build-grid.ts';
import { buildInThread } from '../../services/pricing/src/audience/build-in-thread.ts';
import type { Grid } from '../../services/pricing/src/audience/grid.ts';
import { openLiveGrid } from '../../services/pricing/src/audience/live-grid.ts';
import { watchForeignLoad } from '../machine-load.ts';
import { Unequal } from './counts.ts';
import { type ChangeName, changeNames } from './members/names.ts';
import { bitsOfInterests, type Population } from './members/population.ts';
import { bruteForce } from './peers/brute-force.ts';
import { memberOf } from './peers/grid-peer.ts';
import { interestIds, worded } from './queries.ts';

export type Changes = {
  /** Milliseconds of each. */
  readonly took: ReadonlyMap<ChangeName, readonly number[]>;
  /** Milliseconds of each count, with so many changes beside the grid. */
  readonly counts: readonly number[];
  readonly changesBeside: number;
  readonly whileBuilding: {
    readonly seconds: number;
    readonly changes: number;
    /** How late the event loop was, in milliseconds. */
    readonly delayMs: { readonly p99: number; readonly most: number };
  };
  readonly foreignLoad: number;
};

const SEED = 99;
/** As many as come before the next grid, with a few of each kind for V8 to compile what runs often. */
const OF_EACH = 4_000;
const WARM_UP = 500;
const CELL_E6 = 10_000;
const MAX_INTERESTS = 8;
const CHANGES_A_TICK = 20;
const TICK_MS = 20;

/** Changes the population too, so the stores cannot use it afterwards. */
export async function measureChanges(o: {
  population: Population;
  grid: Grid;
  targets: readonly Target[];
  report: (line: string) => void;
}): Promise<Changes> {
  const { population } = o;
  const live = openLiveGrid(o.grid);
  const random = chance(SEED);
  const { latitudesE6, longitudesE6, interestBits } = population;
  const took = new Map<ChangeName, number[]>(changeNames.map((name) => [name, []]));
  let record: (name: ChangeName, ms: number) => void = () => {};
  const put = (name: ChangeName, row: number) => {
    const member = memberOf(population, row);
    const began = performance.now();
    live.set(member.memberId, member);
    record(name, performance.now() - began);
  };
  const change: Readonly<Record<ChangeName, () => void>> = {
    'a move of up to a mile': () => {
      const row = random.below(population.size);
      const clamped = (e6: number, most: number) => Math.max(-most, Math.min(most, e6));
      const step = () => (random.below(5) - 2) * CELL_E6;
      latitudesE6[row] = clamped((latitudesE6[row] ?? 0) + step(), 90_000_000);
      longitudesE6[row] = clamped((longitudesE6[row] ?? 0) + step(), 180_000_000);
      put('a move of up to a mile', row);
    },
    'a move to another city': () => {
      const [traveller, host] = [random.below(population.size), random.below(population.size)];
      latitudesE6[traveller] = latitudesE6[host] ?? 0;
      longitudesE6[traveller] = longitudesE6[host] ?? 0;
      put('a move to another city', traveller);
    },
    'other interests': () => {
      const row = random.below(population.size);
      const interests = Array.from({ length: random.below(MAX_INTERESTS) }, () => random.oneOf(interestIds));
      interestBits[row] = bitsOfInterests(interests);
      put('other interests', row);
    },
    'a ban and its end': () => {
      const row = random.below(population.size);
      const began = performance.now();
      live.set(population.memberIds[row] ?? Number.NaN, null);
      record('a ban and its end', performance.now() - began);
      put('a ban and its end', row);
    },
  };
  const changeOnce = (kinds = changeNames) => {
    for (const name of kinds) change[name]();
  };
  const foreign = watchForeignLoad();
  for (let count = 0; count < WARM_UP; count += 1) changeOnce();
  await live.replace(async (older, changed) => {
    const build = startGridBuild(older);
    for (const member of changed) build.add(member);
    return build.finish();
  });
  record = (name, ms) => took.get(name)?.push(ms);
  for (let count = 0; count < OF_EACH; count += 1) changeOnce();
  const changesBeside = live.changes();
  const counts: number[] = [];
  for (let round = 0; round < 10; round += 1)
    for (const target of o.targets) {
      const began = performance.now();
      live.count(target);
      counts.push(performance.now() - began);
    }

  record = () => {};
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const began = performance.now();
  let changes = 0;
  const next = { isBuilt: false };
  delay.enable();
  const built = live
    .replace((older, changed) => buildInThread({ older }, changed, { signal: new AbortController().signal }))
    .finally(() => {
      next.isBuilt = true;
    });
  while (!next.isBuilt) {
    for (let each = 0; each < CHANGES_A_TICK; each += changeNames.length) changeOnce();
    changes += CHANGES_A_TICK;
    await pause(TICK_MS);
  }
  await built;
  delay.disable();
  const seconds = (performance.now() - began) / 1_000;
  const foreignLoad = foreign();
  o.report('All changes made; looking at every member for each query again ...');
  for (const target of o.targets) {
    const [counted, expected] = [live.count(target), bruteForce(population, target)];
    if (counted !== expected)
      throw new Unequal(`after changes the grid counts ${counted} and not ${expected}: ${worded(target)}`);
  }
  const delayMs = { p99: delay.percentile(99) / 1e6, most: delay.max / 1e6 };
  return { took, counts, changesBeside, whileBuilding: { seconds, changes, delayMs }, foreignLoad };
}
