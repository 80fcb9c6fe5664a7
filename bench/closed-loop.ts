/** A closed loop: so many workers at once, each starts again when it is done. A fault ends the run. */

export type Load = {
  readonly done: number;
  readonly seconds: number;
  readonly latenciesMs: readonly number[];
};

export async function closedLoop(
  work: () => Promise<void>,
  o: { atOnce: number; seconds: number },
): Promise<Load> {
  const began = performance.now();
  const latenciesMs: number[] = [];
  const one = async () => {
    while (performance.now() - began < o.seconds * 1_000) {
      const asked = performance.now();
      await work();
      latenciesMs.push(performance.now() - asked);
    }
  };
  await Promise.all(Array.from({ length: o.atOnce }, one));
  return { done: latenciesMs.length, seconds: (performance.now() - began) / 1_000, latenciesMs };
}
