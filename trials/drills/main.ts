/**
 * `npm run drill`: causes the faults of alerts, one after the other, on a system of its own with a real Prometheus, and mends each
 * by the words of its runbook. Ends with status 1 when an alert does not fire, or does not resolve.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readCommandLine } from './command-line.ts';
import { drills, kebab } from './drills.ts';

const wanted = readCommandLine(process.argv.slice(2));
if (!wanted.ok) {
  console.error(wanted.problem);
  process.exitCode = 1;
} else if (wanted.what === 'list') {
  for (const { alert } of drills) console.log(`${alert.padEnd(24)} docs/runbooks/${kebab(alert)}.md`);
} else {
  // A system beside the usual one, which is nobody's to break. Read when the modules of the start are loaded.
  process.env.DEV_FOLDER ??= join(fileURLToPath(new URL('../..', import.meta.url)), '.dev/drills');
  const { runDrills } = await import('./run-drills.ts');
  process.exitCode = (await runDrills(wanted.drills, console.log)) ? 0 : 1;
  process.exit();
}
