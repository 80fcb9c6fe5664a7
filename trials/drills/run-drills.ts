/** Runs drills one after the other on a running system. */
import type { System } from '../harness/system.ts';
import type { Drill } from './drill.ts';
import { fasterOf } from './drills.ts';
import { readRules, startPrometheus } from './prometheus/prometheus.ts';
import { watchAlerts } from './prometheus/watch-alerts.ts';
import { runDrill } from './run-drill.ts';
import { drillSystemOn } from './system.ts';
import { drillTable, type Outcome, passed } from './table.ts';

/** True when every alert fired and resolved. */
export async function runDrills(
  drills: readonly Drill[],
  o: { system: System; say: (line: string) => void; interrupted?: Promise<'interrupted'> },
): Promise<boolean> {
  const { system, say } = o;
  await using stack = new AsyncDisposableStack();
  const drillSystem = drillSystemOn(system);
  const prometheus = stack.use(await startPrometheus(system, fasterOf));
  const watch = stack.use(watchAlerts(prometheus));
  say(`Prometheus: ${prometheus.url}`);
  const outcomes: Outcome[] = [];
  const all = async () => {
    for (const drill of drills)
      outcomes.push(await runDrill({ drill, system: drillSystem, watch, severityOf, say }));
  };
  const end = await Promise.race([all(), ...(o.interrupted === undefined ? [] : [o.interrupted])]);
  if (outcomes.length > 0) say(`\n${drillTable(outcomes)}`);
  return end !== 'interrupted' && outcomes.every(passed);
}

function severityOf(alert: string): string {
  const rules = readRules().groups.flatMap((group) => group.rules);
  return rules.find((rule) => rule.alert === alert)?.labels?.severity ?? '';
}
