/**
 * Asks every question of every dashboard of a real Prometheus, while the demo runs on the system that `npm start` runs, and fails
 * when one has no answer. Needs the program `prometheus`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { devFolder, foldersIn, repository } from '@offer-ads/dev/start/folder';
import type { Addresses } from '@offer-ads/dev/start/plans';
import { startPrometheus } from '@offer-ads/trials/drills/prometheus/prometheus';
import { dashboards } from './documents.ts';
import { inGrafana } from './promql.ts';
import { runningServices } from './running-services.ts';

const asIs = { ranges: 1, ages: 1 };
/** Rates need two scrapes before the demo and some after it. */
const pauseMs = 5_000;
/** Nothing happens there in a demo: no money in LIVE, nobody away. */
const mayBeEmpty = new Set(['stripe_webhook_delay_seconds']);

const services = runningServices();
await using prometheus = await startPrometheus(
  { folder: devFolder, addresses: services as unknown as Addresses, ...foldersIn(devFolder) },
  () => asIs,
);
// The gateway looks at what it stands on when somebody asks.
await fetch(`${services.gateway}/status.json`);
await pause(pauseMs);
const demo = spawn(process.execPath, [join(repository, 'dev/demo.ts')], { stdio: 'ignore' });
const [code] = (await once(demo, 'exit')) as [number];
if (code !== 0) throw new Error('the demo failed');
await pause(pauseMs);

let asked = 0;
const empty: string[] = [];
for (const { title, rows } of dashboards)
  for (const panel of rows.flatMap((row) => row.panels))
    for (const [expr] of panel.queries) {
      asked += 1;
      const answers = await answersTo(inGrafana(expr));
      if (answers === 0 && ![...mayBeEmpty].some((name) => expr.includes(name)))
        empty.push(`${title}, ${panel.title}: ${expr}`);
    }
console.log(`${asked} questions asked, ${empty.length} without an answer`);
for (const line of empty) console.log(`  ${line}`);
for (const { alert, state, labels } of await prometheus.alerts()) console.log(`${alert} is ${state}`, labels);
process.exitCode = empty.length === 0 ? 0 : 1;

/** @throws when it is refused */
async function answersTo(query: string): Promise<number> {
  const response = await fetch(`${prometheus.url}/api/v1/query?${new URLSearchParams({ query }).toString()}`);
  const reply = (await response.json()) as { status: string; error?: string; data: { result: unknown[] } };
  if (reply.status !== 'success') throw new Error(`${query}: ${reply.error}`);
  return reply.data.result.length;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
