/** The drills one after the other, on one system. */
import { interruption } from '../harness/interruption.ts';
import type { SystemOptions } from '../harness/system.ts';
import type { Drill } from './drill.ts';
import { fasterOf } from './drills.ts';
import { findPrometheus, readRules, startPrometheus } from './prometheus/prometheus.ts';
import { watchAlerts } from './prometheus/watch-alerts.ts';
import { runDrill } from './run-drill.ts';
import { startDrillSystem } from './system.ts';
import { drillTable, type Outcome, passed } from './table.ts';

/** True when every alert fired and resolved. */
export async function runDrills(
  wanted: readonly Drill[],
  o: Omit<SystemOptions, 'prepare'>,
): Promise<boolean> {
  const { say } = o;
  findPrometheus();
  await using stack = new AsyncDisposableStack();
  const interrupted = interruption();
  const system = stack.use(await startDrillSystem(o));
  const prometheus = stack.use(await startPrometheus(system, fasterOf));
  const watch = stack.use(watchAlerts(prometheus));
  say(`Prometheus: ${prometheus.url}`);

  const outcomes: Outcome[] = [];
  const all = async () => {
    for (const drill of wanted) {
      outcomes.push(await runDrill({ drill, system, watch, severityOf, say }));
    }
  };
  const end = await Promise.race([all(), interrupted]);
  if (end === 'interrupted') say('\nStopping ...');
  if (outcomes.length > 0) say(`\n${drillTable(outcomes)}`);
  return end !== 'interrupted' && outcomes.every(passed);
}

function severityOf(alert: string): string {
  const rules = readRules().groups.flatMap((group) => group.rules);
  return rules.find((rule) => rule.alert === alert)?.labels?.severity ?? '';
}
