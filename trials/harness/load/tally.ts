/** Counts every reply by route and outcome, and collects failures. */
export type Tally = {
  readonly count: (route: string, outcome: string, durationMs: number) => void;
  /** Records something that no document allows. */
  readonly fail: (what: string) => void;
  readonly failures: () => readonly string[];
  readonly requests: () => number;
  /** Requests whose connection was refused or broke. */
  readonly unanswered: () => number;
  /** Requests that were answered with `Retry-After`. */
  readonly delayed: () => number;
  /** A line for each route: how often each outcome came, and the slowest reply. */
  readonly lines: () => string[];
};

export function createTally(): Tally {
  const routes = new Map<string, { outcomes: Map<string, number>; slowestMs: number }>();
  const failures: string[] = [];
  let requests = 0;
  const counted = (isMeant: (outcome: string) => boolean) => {
    let sum = 0;
    for (const { outcomes } of routes.values())
      for (const [outcome, times] of outcomes) if (isMeant(outcome)) sum += times;
    return sum;
  };
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
    unanswered: () => counted((outcome) => !/^\d{3}/.test(outcome)),
    delayed: () => counted((outcome) => outcome.endsWith('with Retry-After')),
    lines: () =>
      [...routes]
        .toSorted(([one], [other]) => one.localeCompare(other))
        .map(([route, { outcomes, slowestMs }]) => {
          const counts = [...outcomes].map(([outcome, times]) => `${times} x ${outcome}`).join(', ');
          return `  ${route.padEnd(30)} ${counts} (slowest ${Math.round(slowestMs)} ms)`;
        }),
  };
}
