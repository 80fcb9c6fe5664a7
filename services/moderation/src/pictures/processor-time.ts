/** Divides the processor time of a process, or of a thread, among the pieces of work in it. */

/** Call it when the work begins. @returns call it when the work has ended; gives its milliseconds */
export type ProcessorTime = () => () => number;

/**
 * At each moment all pieces of work that are under way get equal shares. While nothing is under way, nobody gets the time.
 * @param totalMs of the process or thread since its start
 */
export function shareProcessorTime(totalMs: () => number): ProcessorTime {
  const underWay = new Set<{ ms: number }>();
  let sharedUntilMs = totalMs();

  function share(): void {
    const now = totalMs();
    const eachMs = (now - sharedUntilMs) / underWay.size;
    for (const work of underWay) work.ms += eachMs;
    sharedUntilMs = now;
  }

  return () => {
    share();
    const work = { ms: 0 };
    underWay.add(work);
    return () => {
      share();
      underWay.delete(work);
      return work.ms;
    };
  };
}

export function millisecondsOf({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1_000;
}
