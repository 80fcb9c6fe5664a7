/**
 * `npm run chart`: writes the Helm chart, and with `--push` publishes it.
 *
 *   npm run chart -- --version 1.2.0 --out offer-ads-chart
 *   npm run chart -- --version 1.2.0 --push oci://registry.example/charts        # needs helm
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeChart } from './chart.ts';

const { values } = parseArgs({
  options: {
    version: { type: 'string' },
    out: { type: 'string', default: 'offer-ads-chart' },
    push: { type: 'string' },
  },
});
const { version = '', push } = values;
if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) {
  console.error('--version must be the tag of the images, such as 1.2.0');
  process.exit(1);
}
if (push === undefined) {
  writeChart(values.out, version);
  console.log(`${values.out} is the chart, version ${version}`);
} else {
  const folder = mkdtempSync(join(tmpdir(), 'chart-'));
  writeChart(join(folder, 'offer-ads'), version);
  helm(['package', join(folder, 'offer-ads'), '--destination', folder]);
  helm(['push', join(folder, `offer-ads-${version}.tgz`), push]);
  rmSync(folder, { recursive: true });
}

function helm(args: readonly string[]): void {
  const { status, error } = spawnSync('helm', args, { stdio: 'inherit', timeout: 120_000 });
  if (status === 0) return;
  console.error(error?.message ?? `helm ${args[0]} failed`);
  process.exit(1);
}
