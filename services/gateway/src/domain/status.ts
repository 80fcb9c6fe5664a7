/** The overall health, computed from that of each dependency. */

/** The result of one probe of a dependency. */
export type Check = { readonly name: string; readonly up: boolean; readonly responseMs: number };

export type Dependency = {
  readonly name: string;
  readonly state: 'up' | 'down';
  /** Since when this replica has seen that state. */
  readonly since: Date;
  readonly responseMs: number;
};

/** `endedAt`: null while it lasts. */
export type Outage = { readonly name: string; readonly beganAt: Date; readonly endedAt: Date | null };

export type Overall = 'operational' | 'degraded' | 'down';

export type Status = {
  readonly overall: Overall;
  readonly checkedAt: Date;
  readonly dependencies: readonly Dependency[];
};
/** `outages`: those of a minute or more in the last 90 days, newest first; null while they cannot be read. */
export type StatusWithOutages = Status & { readonly outages: readonly Outage[] | null };

/**
 * Without one of these, some endpoint of the public API answers only 503: every endpoint needs the keys in Postgres, most need offers, an
 * estimate needs pricing, a creation also needs billing and moderation. Callers do not notice the absence of the others at once: events
 * wait, mails come later, and each replica counts limits by itself.
 */
const needed: ReadonlySet<string> = new Set(['postgres', 'offers', 'pricing', 'billing', 'moderation']);

export function statusAfter(previous: Status | null, checks: readonly Check[], now: Date): Status {
  const known = new Map(previous?.dependencies.map((dependency) => [dependency.name, dependency]));
  const dependencies = checks.map(({ name, up, responseMs }): Dependency => {
    const state = up ? 'up' : 'down';
    const before = known.get(name);
    return { name, state, since: before?.state === state ? before.since : now, responseMs };
  });
  return { overall: overallOf(dependencies), checkedAt: now, dependencies };
}

function overallOf(dependencies: readonly Dependency[]): Overall {
  const down = dependencies.filter(({ state }) => state === 'down');
  if (down.some(({ name }) => needed.has(name))) return 'down';
  return down.length > 0 ? 'degraded' : 'operational';
}
