/** A drill: causes the fault of one alert on a running system, and mends it by the runbook. */
import type { Faster } from './prometheus/scale-rules.ts';
import type { DrillSystem } from './system.ts';

export type Drill = {
  /** For an alert with several severities. */
  readonly severity?: 'page' | 'ticket';
  /** If the usual factors would be too small, or so large that the alert fires without a fault. */
  readonly faster?: Partial<Faster>;
  /** Seconds until the alert must fire, if it needs more than usual. */
  readonly firesWithinS?: number;
  readonly cause: (system: DrillSystem) => Promise<unknown>;
  readonly mend: readonly Step[];
};

/** By the name of the alert in deploy/monitoring/alerts.yaml. */
export type Drills = Readonly<Record<string, Drill>>;

/** A line of the runbook, run as it is written; or a repair by other people, such as the restart of a mail server. */
export type Step =
  | string
  | { readonly elsewhere: string; readonly done: (system: DrillSystem) => Promise<unknown> };

export function elsewhere(what: string, done: (system: DrillSystem) => Promise<unknown>): Step {
  return { elsewhere: what, done };
}

/** The repair of a connection that the drill has cut. */
export function reachable(what: string, link: keyof DrillSystem['links']): Step {
  return elsewhere(what, async ({ links }) => links[link].bringBack());
}
