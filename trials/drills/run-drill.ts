/** One drill: wait until the alert is silent, cause the fault, see the alert fire, mend by the runbook, see it resolve. */
import { setTimeout as pause } from 'node:timers/promises';
import { reasonOf } from '@offer-ads/backing/find';
import type { Drill, Step } from './drill.ts';
import type { AlertWatch } from './prometheus/watch-alerts.ts';
import { runLine } from './runbooks/runbook-line.ts';
import type { DrillSystem } from './system.ts';
import type { Outcome } from './table.ts';

/** The effects of an earlier drill may still be in the ranges of the rules. */
const QUIET_WITHIN_S = 420;
const FIRES_WITHIN_S = 240;
const RESOLVES_WITHIN_S = 420;
/** On a busy machine a missed scrape interrupts an alert. */
const FIRES_ON_WITHIN_S = 60;
const LOOK_EVERY_MS = 500;
/** A person needs at least this long to react; some runbooks end transactions that are older than ten seconds. */
const MENDED_AFTER_S = 12;

export async function runDrill(o: {
  drill: Drill;
  system: DrillSystem;
  watch: AlertWatch;
  severityOf: (alert: string) => string;
  say: (line: string) => void;
}): Promise<Outcome> {
  const { drill, system, watch, say } = o;
  const which = { alert: drill.alert, severity: drill.severity };
  const outcome = { alert: drill.alert, severity: drill.severity ?? o.severityOf(drill.alert) };
  say(`\n== ${drill.alert}`);
  const startedAtMs = performance.now();
  const told = (atMs: number, words: string) =>
    say(`${((atMs - startedAtMs) / 1_000).toFixed(1).padStart(7)} s  ${words}`);
  const report = (words: string) => told(performance.now(), words);
  const besides = () => watch.firedSince(startedAtMs).filter((alert) => alert !== drill.alert);

  try {
    await until(() => !watch.isFiring(which), QUIET_WITHIN_S, 'the alert fires before there is a fault');
    const causedAtMs = performance.now();
    await drill.cause(system);
    const faultAtMs = performance.now();
    report('the fault is there');
    const fired = await until(
      () => watch.first(which, 'firing', causedAtMs),
      drill.firesWithinS ?? FIRES_WITHIN_S,
      'the alert does not fire',
    );
    const pending = watch.first(which, 'pending', causedAtMs);
    if (pending !== undefined && pending.atMs <= fired.atMs) told(pending.atMs, 'pending');
    told(fired.atMs, 'firing');
    await pause(Math.max(0, faultAtMs + MENDED_AFTER_S * 1_000 - performance.now()));
    await until(
      () => watch.isFiring(which),
      FIRES_ON_WITHIN_S,
      'the alert resolved before anything was mended',
    );
    for (const step of drill.mend) await take(step, system, report);
    const mendedAtMs = performance.now();
    report('mended');
    await until(() => !watch.isFiring(which), RESOLVES_WITHIN_S, 'the alert does not resolve');
    report('resolved');
    return {
      ...outcome,
      pendingAfterS: secondsBetween(faultAtMs, pending?.atMs ?? fired.atMs),
      firingAfterS: secondsBetween(faultAtMs, fired.atMs),
      resolvedAfterS: secondsBetween(mendedAtMs, performance.now()),
      beside: besides(),
    };
  } catch (error) {
    report(`NOT AS IT MUST BE: ${reasonOf(error)}`);
    return { ...outcome, beside: besides(), problem: reasonOf(error) };
  } finally {
    await system.recover();
  }
}

async function take(step: Step, system: DrillSystem, report: (words: string) => void): Promise<void> {
  if ('elsewhere' in step) {
    await step.done(system);
    return report(`(elsewhere: ${step.elsewhere})`);
  }
  report(`$ ${step.run}`);
  const printed = await runLine(system, step.run);
  for (const line of printed.split('\n')) report(`  ${line}`);
}

/** Returns the first result that is neither undefined nor false. */
async function until<T>(look: () => T | undefined | false, withinS: number, problem: string): Promise<T> {
  const giveUpAt = performance.now() + withinS * 1_000;
  for (;;) {
    const seen = look();
    if (seen !== undefined && seen !== false) return seen;
    if (performance.now() > giveUpAt) throw new Error(`${problem} (waited ${withinS} s)`);
    await pause(LOOK_EVERY_MS);
  }
}

function secondsBetween(fromMs: number, toMs: number): number {
  return Math.max(0, (toMs - fromMs) / 1_000);
}
