/** The drills one after the other, on one system. */
import { buildWeb } from '@offer-ads/web/build';
import type { Drill } from './drill.ts';
import { fasterOf } from './drills.ts';
import { findPrometheus, readRules, startPrometheus } from './prometheus.ts';
import { runDrill } from './run-drill.ts';
import { startDrillSystem } from './system.ts';
import { drillTable, type Outcome, passed } from './table.ts';
import { watchAlerts } from './watch-alerts.ts';

/** True when every alert fired and resolved. */
export async function runDrills(wanted: readonly Drill[], say: (line: string) => void): Promise<boolean> {
  findPrometheus();
  await using stack = new AsyncDisposableStack();
  const stopping = new AbortController();
  const interrupted = new Promise<'interrupted'>((resolve) => {
    stopping.signal.addEventListener('abort', () => resolve('interrupted'));
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
  });
  await buildWeb({ report: say });
  const system = stack.use(await startDrillSystem(say));
  const prometheus = stack.use(await startPrometheus(system.addresses, fasterOf));
  const watch = stack.use(watchAlerts(prometheus));
  say(`Prometheus: ${prometheus.url}`);

  const outcomes: Outcome[] = [];
  const all = async () => {
    for (const drill of wanted) {
      if (stopping.signal.aborted) return;
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
