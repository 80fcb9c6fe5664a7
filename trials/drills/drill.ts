/** A drill: causes the fault of one alert on a running system, and mends it by the runbook. */
import type { Faster } from './prometheus/scale-rules.ts';
import type { DrillSystem } from './system.ts';

export type Drill = {
  /** Its name in deploy/monitoring/alerts.yaml. */
  readonly alert: string;
  /** For an alert with several severities. */
  readonly severity?: 'page' | 'ticket';
  /** If the usual factors would be too small, or so large that the alert fires without a fault. */
  readonly faster?: Partial<Faster>;
  /** Seconds until the alert must fire, if it needs more than usual. */
  readonly firesWithinS?: number;
  readonly cause: (system: DrillSystem) => Promise<void>;
  readonly mend: readonly Step[];
};

export type Step =
  /** A line of the runbook, run as it is written. */
  | { readonly run: string }
  /** A repair by other people, such as the restart of a mail server. */
  | { readonly elsewhere: string; readonly done: (system: DrillSystem) => Promise<void> };

export function run(line: string): Step {
  return { run: line };
}

export function elsewhere(what: string, done: (system: DrillSystem) => Promise<void>): Step {
  return { elsewhere: what, done };
}
