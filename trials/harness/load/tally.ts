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
  /** When the last of both came, by `performance.now()`; undefined when none did. */
  readonly lastRefusedAt: () => number | undefined;
  /** A line for each route: how often each outcome came, and the slowest reply. */
  readonly lines: () => string[];
};

const isUnanswered = (outcome: string) => !/^\d{3}/.test(outcome);
const isDelayed = (outcome: string) => outcome.endsWith('with Retry-After');

export function createTally(): Tally {
  const routes = new Map<string, { outcomes: Map<string, number>; slowestMs: number }>();
  const failures: string[] = [];
  let requests = 0;
  let lastRefusedAt: number | undefined;
  const counted = (isMeant: (outcome: string) => boolean) => {
    let sum = 0;
    for (const { outcomes } of routes.values())
      for (const [outcome, times] of outcomes) if (isMeant(outcome)) sum += times;
    return sum;
  };
  return {
    count: (route, outcome, durationMs) => {
      requests += 1;
      if (isUnanswered(outcome) || isDelayed(outcome)) lastRefusedAt = performance.now();
      const known = routes.get(route) ?? { outcomes: new Map<string, number>(), slowestMs: 0 };
      routes.set(route, known);
      known.outcomes.set(outcome, (known.outcomes.get(outcome) ?? 0) + 1);
      known.slowestMs = Math.max(known.slowestMs, durationMs);
    },
    fail: (what) => failures.push(`${new Date().toISOString().slice(11, 23)} ${what}`),
    failures: () => failures,
    requests: () => requests,
    unanswered: () => counted(isUnanswered),
    delayed: () => counted(isDelayed),
    lastRefusedAt: () => lastRefusedAt,
    lines: () =>
      [...routes]
        .toSorted(([one], [other]) => one.localeCompare(other))
        .map(([route, { outcomes, slowestMs }]) => {
          const counts = [...outcomes].map(([outcome, times]) => `${times} x ${outcome}`).join(', ');
          return `  ${route.padEnd(30)} ${counts} (slowest ${Math.round(slowestMs)} ms)`;
        }),
  };
}
