/** Counts every reply by route and outcome, and collects failures. */
export type Tally = {
  readonly count: (route: string, outcome: string, durationMs: number) => void;
  /** Records something that no document allows. */
  readonly fail: (what: string) => void;
  readonly failures: () => readonly string[];
  readonly requests: () => number;
  /** A line for each route: how often each outcome came, and the slowest reply. */
  readonly lines: () => string[];
};

export function createTally(): Tally {
  const routes = new Map<string, { outcomes: Map<string, number>; slowestMs: number }>();
  const failures: string[] = [];
  let requests = 0;
  return {
    count: (route, outcome, durationMs) => {
      requests += 1;
      const known = routes.get(route) ?? { outcomes: new Map<string, number>(), slowestMs: 0 };
      routes.set(route, known);
      known.outcomes.set(outcome, (known.outcomes.get(outcome) ?? 0) + 1);
      known.slowestMs = Math.max(known.slowestMs, durationMs);
    },
    fail: (what) => failures.push(`${new Date().toISOString().slice(11, 23)} ${what}`),
    failures: () => failures,
    requests: () => requests,
    lines: () =>
      [...routes]
        .toSorted(([one], [other]) => one.localeCompare(other))
        .map(([route, { outcomes, slowestMs }]) => {
          const counts = [...outcomes].map(([outcome, times]) => `${times} x ${outcome}`).join(', ');
          return `  ${route.padEnd(30)} ${counts} (slowest ${Math.round(slowestMs)} ms)`;
        }),
  };
}
