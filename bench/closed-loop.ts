/** So many at once, each begins again when it is done; what fails ends it, because there is nothing to measure then. */

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
