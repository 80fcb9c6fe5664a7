/**
 * The grid alone, until V8 has compiled it as in a service under load. Then all peers take turns, query by query, so that each finds the
 * processor's caches as the others left them.
 */
import type { Target } from '@offer-ads/contracts/audience/target';
import { waitUntilIdle, watchForeignLoad } from '../machine-load.ts';
import type { PeerName } from './members/names.ts';
import type { Population } from './members/population.ts';
import { bruteForce } from './peers/brute-force.ts';
import type { Peer } from './peers/peers.ts';
import { worded } from './queries.ts';

export type Counts = {
  /** How many each target reaches, in the order of the targets. */
  readonly counted: readonly number[];
  /** Milliseconds of every count of every round. */
  readonly disturbed: ReadonlyMap<PeerName, readonly number[]>;
  /** For peers that may count members beyond the edge: how many too many, and in how many queries. */
  readonly tooMany: number;
  readonly queriesWithMore: number;
  /** Of the grid. */
  readonly alone: readonly number[];
  readonly rounds: number;
  readonly foreignLoad: number;
};

/** Until V8 has compiled what runs often. */
const WARM_UP_ROUNDS = 20;
/** Until figures no longer change. */
const ROUNDS_ALONE = 50;

export class Unequal extends Error {
  override readonly name = 'Unequal';
}

export async function measureCounts(o: {
  population: Population;
  peers: readonly Peer[];
  targets: readonly Target[];
  rounds: number;
  report: (line: string) => void;
}): Promise<Counts> {
  const { population, peers, targets, rounds, report } = o;
  report(`Looking at every member for each of ${targets.length} queries ...`);
  const counted = targets.map((target) => bruteForce(population, target));
  const beyond = Math.max(...peers.map(({ beyondMetres = 0 }) => beyondMetres));
  const most = targets.map((target) => bruteForce(population, target, beyond));
  let [tooMany, queriesWithMore] = [0, 0];
  const disturbed = new Map<PeerName, number[]>(peers.map(({ name }) => [name, []]));
  await waitUntilIdle();
  const [grid] = peers;
  if (grid === undefined) throw new RangeError('nobody counts');
  const alone: number[] = [];
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS_ALONE; round += 1) {
    for (const [at, target] of targets.entries()) {
      const { ms } = await countOnce(grid, target, counted[at] ?? Number.NaN);
      if (round >= WARM_UP_ROUNDS) alone.push(ms);
    }
  }
  await waitUntilIdle();
  const foreign = watchForeignLoad();
  // Before the first round statements are prepared and caches filled.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, target] of targets.entries()) {
      const asked = peers.filter(({ slow }) => slow === undefined || round === 1);
      // No peer always follows the same one.
      const turn = (round + index) % asked.length;
      for (const peer of [...asked.slice(turn), ...asked.slice(0, turn)]) {
        const exact = counted[index] ?? Number.NaN;
        const atMost = peer.beyondMetres === undefined ? exact : (most[index] ?? Number.NaN);
        const { ms, more } = await countOnce(peer, target, exact, atMost);
        tooMany += more;
        if (more > 0) queriesWithMore += 1;
        if (round > 0) disturbed.get(peer.name)?.push(ms);
      }
    }
    report(round === 0 ? 'All are warm, and their counts are equal.' : `round ${round} of counts done`);
  }
  const foreignLoad = foreign();
  return { counted, disturbed, alone, tooMany, queriesWithMore, rounds, foreignLoad };
}

/** @throws {Unequal} naming the query */
async function countOnce(
  peer: Peer,
  target: Target,
  exact: number,
  most = exact,
): Promise<{ ms: number; more: number }> {
  const began = performance.now();
  const answer = peer.count(target);
  // The data are already in memory.
  const counted = typeof answer === 'number' ? answer : await answer;
  const ms = performance.now() - began;
  if (counted >= exact && counted <= most) return { ms, more: counted - exact };
  throw new Unequal(`${peer.name} counts ${counted} and not ${exact}: ${worded(target)}`);
}
