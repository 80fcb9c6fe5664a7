/**
 * `npm run drill`: causes the faults of alerts, one after the other, on a system of its own with a real Prometheus, and mends each
 * by the commands of its runbook. Ends with status 1 when an alert does not fire, or does not resolve.
 */
import { join } from 'node:path';
import { repository } from '@offer-ads/dev/start/folder';
import { interruption } from '../harness/command-line.ts';
import { startSystem } from '../harness/system.ts';
import { cleanFolder } from './clean-folder.ts';
import { readCommandLine } from './command-line.ts';
import { type Drill } from './drill.ts';
import { drills, kebab } from './drills.ts';
import { findPrometheus } from './prometheus/prometheus.ts';
import { runDrills } from './run-drills.ts';

const wanted = readCommandLine(process.argv.slice(2));
if (!wanted.ok) {
  console.error(wanted.problem);
  process.exitCode = 1;
} else if (wanted.what === 'list') {
  for (const { alert } of drills) console.log(`${alert.padEnd(24)} docs/runbooks/${kebab(alert)}.md`);
} else {
  process.exitCode = (await run(wanted.drills)) ? 0 : 1;
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
