/** Random numbers that a test can repeat: the same seed gives the same numbers. `Math.random` has no seed. */

/** Mulberry32: numbers from 0 to below 1, fast and random enough for tests. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export type Chance = {
  /** A whole number from 0 to below the bound. */
  readonly below: (bound: number) => number;
  readonly oneOf: <T>(choices: readonly T[]) => T;
  /** One of the names, each with the probability of its weight. */
  readonly weighted: <Name extends string>(weights: Readonly<Record<Name, number>>) => Name;
};

export function chance(seed: number): Chance {
  const next = randomNumbers(seed);
  const below = (bound: number) => Math.floor(next() * bound);
  const oneOf = <T>(choices: readonly T[]): T => {
    if (choices.length === 0) throw new RangeError('no choices');
    return choices[below(choices.length)] as T;
  };
  return {
    below,
    oneOf,
    weighted: <Name extends string>(weights: Readonly<Record<Name, number>>) => {
      const entries = Object.entries<number>(weights) as [Name, number][];
      return oneOf(entries.flatMap(([name, weight]) => Array<Name>(weight).fill(name)));
    },
  };
}
