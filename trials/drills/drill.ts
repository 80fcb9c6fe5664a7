/** What a drill is: the fault of one alert, caused on a running system, and its runbook's way out. */
import type { Faster } from './prometheus/scale-rules.ts';
import type { DrillSystem } from './system.ts';

export type Drill = {
  /** Its name in deploy/monitoring/alerts.yaml. */
  readonly alert: string;
  /** Of an alert that has several. */
  readonly severity?: 'page' | 'ticket';
  /** Where the usual haste would be too little, or so much that it fires without a fault. */
  readonly faster?: Partial<Faster>;
  /** Seconds until the alert must fire, where more than the usual is needed. */
  readonly firesWithinS?: number;
  readonly cause: (system: DrillSystem) => Promise<void>;
  readonly mend: readonly Step[];
};

export type Step =
  /** A line of the runbook, run in its own words. */
  | { readonly run: string }
  /** What is mended by others, such as a mail server that somebody starts again. */
  | { readonly elsewhere: string; readonly done: (system: DrillSystem) => Promise<void> };

export function run(line: string): Step {
  return { run: line };
}

export function elsewhere(what: string, done: (system: DrillSystem) => Promise<void>): Step {
  return { elsewhere: what, done };
}
