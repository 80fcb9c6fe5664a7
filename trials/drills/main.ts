/**
 * `npm run drill`: causes the faults of alerts, one after the other, on a system of its own with a real Prometheus, and mends each
 * by the commands of its runbook. Ends with status 1 when an alert does not fire, or does not resolve.
 */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { removeBacking } from '@offer-ads/backing/backing';
import { readCommandLine } from '@offer-ads/dev/command-line';
import { repository } from '@offer-ads/dev/start/folder';
import { interruption } from '../harness/interruption.ts';
import { startSystem } from '../harness/system.ts';
import { drills, kebab } from './drills.ts';
import { findPrometheus } from './prometheus/prometheus.ts';
import { runDrills } from './run-drill.ts';

const usage = `npm run drill -- <alert>... | --all | --list, for example: npm run drill -- outbox-stuck MailsUnsent
Alerts are named as in the rules or as their pages.`;

const alerts = Object.keys(drills);
/** A folder of its own, so that no drill breaks the system of `npm start`. */
const folder = join(repository, '.dev/drills');

const wanted = readCommandLine(usage, (words) => {
  const { values, positionals } = parseArgs({
    args: words,
    allowPositionals: true,
    options: { all: { type: 'boolean' }, list: { type: 'boolean' } },
  });
  const isNamed = (word: string, alert: string) => alert === word || kebab(alert) === word;
  const unknown = positionals.filter((word) => !alerts.some((alert) => isNamed(word, alert)));
  if (unknown.length > 0) throw new Error(`there is no drill ${unknown.join(', ')}; --list names all`);
  if (values.list) return [];
  if (values.all) return alerts;
  if (positionals.length === 0) throw new Error('no alert is named');
  return alerts.filter((alert) => positionals.some((word) => isNamed(word, alert)));
});
if (wanted.length === 0)
  for (const alert of alerts) console.log(`${alert.padEnd(24)} docs/runbooks/${kebab(alert)}.md`);
else {
  process.exitCode = (await run()) ? 0 : 1;
  process.exit();
}

async function run(): Promise<boolean> {
  findPrometheus();
  const interrupted = interruption();
  const say = console.log;
  await using system = await startSystem({ folder, say, prepare: empty });
  return await runDrills(wanted, { system, say, interrupted });
}

/** What an earlier run left would make alerts fire; the claim of the folder and the cache stay. */
async function empty(): Promise<void> {
  await removeBacking(join(folder, 'backing'));
  for (const entry of readdirSync(folder))
    if (entry !== 'run' && entry !== 'compile-cache')
      rmSync(join(folder, entry), { recursive: true, force: true });
}
