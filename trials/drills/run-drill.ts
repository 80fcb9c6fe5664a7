/** Runs drills one after the other on a running system with a Prometheus. */
import { setTimeout as pause } from 'node:timers/promises';
import { reasonOf } from '@offer-ads/backing/find';
import type { System } from '../harness/system.ts';
import type { Step } from './drill.ts';
import { drills, fasterOf } from './drills.ts';
import { type Prometheus, startPrometheus } from './prometheus/prometheus.ts';
import { runLine } from './runbooks/runbook-line.ts';
import { type DrillSystem, drillSystemOn } from './system.ts';

/** The effects of an earlier drill may still be in the ranges of the rules. */
const QUIET_WITHIN_S = 420;
const FIRES_WITHIN_S = 240;
const RESOLVES_WITHIN_S = 420;
/** On a busy machine a missed scrape interrupts an alert. */
const FIRES_ON_WITHIN_S = 60;
const LOOK_EVERY_MS = 500;
/** A person needs at least this long to react; some runbooks end transactions that are older than ten seconds. */
const MENDED_AFTER_S = 12;

type Running = {
  readonly system: DrillSystem;
  readonly prometheus: Prometheus;
  readonly say: (line: string) => void;
};

/** True when every alert fired and resolved. */
export async function runDrills(
  alerts: readonly string[],
  {
    system,
    say,
    interrupted,
  }: { system: System; say: (line: string) => void; interrupted?: Promise<unknown> },
): Promise<boolean> {
  await using prometheus = await startPrometheus(system, fasterOf);
  say(`Prometheus: ${prometheus.url}`);
  const running = { system: drillSystemOn(system), prometheus, say };
  const outcomes: { readonly line: string; readonly passed: boolean }[] = [];
  const all = async () => {
    for (const alert of alerts) outcomes.push(await runDrill(alert, running));
    return 'all';
  };
  const end = await Promise.race([all(), ...(interrupted === undefined ? [] : [interrupted])]);
  say(`\n${outcomes.map(({ line }) => line).join('\n')}`);
  return end === 'all' && outcomes.every(({ passed }) => passed);
}

/** Waits until the alert is silent, causes the fault, sees the alert fire, mends by the runbook, sees it resolve. */
async function runDrill(alert: string, { system, prometheus, say }: Running) {
  const drill = drills[alert];
  if (drill === undefined) throw new Error(`there is no drill ${alert}`);
  say(`\n== ${alert}`);
  const startedAtMs = performance.now();
  const secondsSince = (atMs: number) => Math.max(0, (performance.now() - atMs) / 1_000);
  const report = (words: string) => say(`${secondsSince(startedAtMs).toFixed(1).padStart(7)} s  ${words}`);
  const isFiring = () => prometheus.isFiring(alert, drill.severity);
  const isSilent = async () => !(await isFiring());

  let line: string;
  let passed = false;
  try {
    await until(isSilent, QUIET_WITHIN_S, 'the alert fires before there is a fault');
    await drill.cause(system);
    const faultAtMs = performance.now();
    report('the fault is there');
    await until(isFiring, drill.firesWithinS ?? FIRES_WITHIN_S, 'the alert does not fire');
    report('firing');
    const firingAfter = secondsSince(faultAtMs).toFixed(0);
    await pause(Math.max(0, faultAtMs + MENDED_AFTER_S * 1_000 - performance.now()));
    await until(isFiring, FIRES_ON_WITHIN_S, 'the alert resolved before anything was mended');
    for (const step of drill.mend) await take(step, system, report);
    const mendedAtMs = performance.now();
    report('mended');
    await until(isSilent, RESOLVES_WITHIN_S, 'the alert does not resolve');
    report('resolved');
    line = `fired after ${firingAfter} s, resolved after ${secondsSince(mendedAtMs).toFixed(0)} s`;
    passed = true;
  } catch (error) {
    line = `NOT AS IT MUST BE: ${reasonOf(error)}`;
    report(line);
  } finally {
    await system.recover();
  }
  const beside = await prometheus.firedWithin(secondsSince(startedAtMs)).catch(() => []);
  const others = beside.filter((other) => other !== alert);
  return { line: `${alert}: ${line}${others.length > 0 ? `; beside it: ${others.join(', ')}` : ''}`, passed };
}

async function take(step: Step, system: DrillSystem, report: (words: string) => void): Promise<void> {
  if (typeof step !== 'string') {
    await step.done(system);
    return report(`(elsewhere: ${step.elsewhere})`);
  }
  report(`$ ${step}`);
  const printed = await runLine(system, step);
  for (const line of printed.split('\n')) report(`  ${line}`);
}

/** Prometheus may miss a question on a busy machine: the next one makes up for it. */
async function until(holds: () => Promise<boolean>, withinS: number, problem: string): Promise<void> {
  const giveUpAt = performance.now() + withinS * 1_000;
  while (!(await holds().catch(() => false))) {
    if (performance.now() > giveUpAt) throw new Error(`${problem} (waited ${withinS} s)`);
    await pause(LOOK_EVERY_MS);
  }
}
