/**
 * `npm run drill`: causes the faults of alerts, one after the other, on a system of its own with a real Prometheus, and mends each
 * by the commands of its runbook. Ends with status 1 when an alert does not fire, or does not resolve.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readCommandLine } from '@offer-ads/dev/command-line';
import { repository } from '@offer-ads/dev/start/folder';
import { interruption } from '../harness/interruption.ts';
import { startSystem } from '../harness/system.ts';
import { cleanFolder } from './clean-folder.ts';
import type { Drill } from './drill.ts';
import { drills, kebab } from './drills.ts';
import { findPrometheus } from './prometheus/prometheus.ts';
import { runDrills } from './run-drills.ts';

const usage = `npm run drill -- <alert>... | --all | --list, for example: npm run drill -- outbox-stuck MailsUnsent
Alerts are named as in the rules or as their pages.`;

const wanted = readCommandLine(usage, (words) => {
  const { values, positionals } = parseArgs({
    args: words,
    allowPositionals: true,
    options: { all: { type: 'boolean' }, list: { type: 'boolean' } },
  });
  const isNamed = (word: string, { alert }: Drill) => alert === word || kebab(alert) === word;
  const unknown = positionals.filter((word) => !drills.some((drill) => isNamed(word, drill)));
  if (unknown.length > 0) throw new Error(`there is no drill ${unknown.join(', ')}; --list names all`);
  if (values.list) return [];
  if (values.all) return drills;
  if (positionals.length === 0) throw new Error('no alert is named');
  return drills.filter((drill) => positionals.some((word) => isNamed(word, drill)));
});
if (wanted.length === 0)
  for (const { alert } of drills) console.log(`${alert.padEnd(24)} docs/runbooks/${kebab(alert)}.md`);
else {
  process.exitCode = (await run(wanted)) ? 0 : 1;
  process.exit();
}

async function run(wantedDrills: readonly Drill[]): Promise<boolean> {
  findPrometheus();
  const interrupted = interruption();
  const say = console.log;
  await using system = await startSystem({
    // A folder of its own, so that no drill breaks the system of `npm start`.
    folder: process.env.DEV_FOLDER ?? join(repository, '.dev/drills'),
    say,
    prepare: cleanFolder,
  });
  return await runDrills(wantedDrills, { system, say, interrupted });
}
