/**
 * `npm run drill`: causes the faults of alerts, one after the other, on a system of its own with a real Prometheus, and mends each
 * by the words of its runbook. Ends with status 1 when an alert does not fire, or does not resolve.
 */
import { join } from 'node:path';
import { repository } from '@offer-ads/dev/start/folder';
import { readCommandLine } from './command-line.ts';
import { drills, kebab } from './drills.ts';
import { runDrills } from './run-drills.ts';

const wanted = readCommandLine(process.argv.slice(2));
if (!wanted.ok) {
  console.error(wanted.problem);
  process.exitCode = 1;
} else if (wanted.what === 'list') {
  for (const { alert } of drills) console.log(`${alert.padEnd(24)} docs/runbooks/${kebab(alert)}.md`);
} else {
  // A system beside the usual one, which no drill may break.
  const folder = process.env.DEV_FOLDER ?? join(repository, '.dev/drills');
  process.exitCode = (await runDrills(wanted.drills, { folder, say: console.log })) ? 0 : 1;
  process.exit();
}
