/** `npm run chart`: writes the Helm chart, and with `--push` publishes it. */
import { spawnSync } from 'node:child_process';
import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readCommandLine } from '@offer-ads/dev/command-line';
import { writeChart } from './chart.ts';

const usage = `npm run chart -- --version 1.2.0 [options]: writes the Helm chart of the images with that tag
  --out offer-ads-chart                 the folder of the chart, which is emptied (offer-ads-chart)
  --push oci://registry.example/charts  publishes it in place of that, by helm`;

const { version, out, push } = readCommandLine(usage, (args) => {
  const { values } = parseArgs({
    args,
    options: {
      version: { type: 'string', default: '' },
      out: { type: 'string', default: 'offer-ads-chart' },
      push: { type: 'string' },
    },
  });
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(values.version))
    throw new Error('--version must be the tag of the images, such as 1.2.0');
  return values;
});
if (push === undefined) {
  writeChart(out, version);
  console.log(`${out} is the chart, version ${version}`);
} else publish(push);

function publish(registry: string): void {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'chart-'));
  writeChart(join(folder.path, 'offer-ads'), version);
  const isPublished =
    helm(['package', join(folder.path, 'offer-ads'), '--destination', folder.path]) &&
    helm(['push', join(folder.path, `offer-ads-${version}.tgz`), registry]);
  if (!isPublished) process.exitCode = 1;
}

function helm(args: readonly string[]): boolean {
  const { status, error } = spawnSync('helm', args, { stdio: 'inherit', timeout: 120_000 });
  if (status !== 0) console.error(error?.message ?? `helm ${args[0]} failed`);
  return status === 0;
}
