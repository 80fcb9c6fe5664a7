/** A Prometheus for drills: it scrapes every second and has the accelerated alert rules. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startServer } from '@offer-ads/backing/embedded/server-process';
import { freePorts } from '@offer-ads/backing/free-port';
import { onPath } from '@offer-ads/backing/on-path';
import { serviceNames } from '@offer-ads/contracts/values/primitives';
import { repository } from '@offer-ads/dev/start/folder';
import type { Addresses } from '@offer-ads/dev/start/plans';
import { parse, stringify } from 'yaml';
import type { System } from '../../harness/system.ts';
import { type Faster, type RuleFile, scaleRules } from './scale-rules.ts';

export const rulesFile = join(repository, 'deploy/monitoring/alerts.yaml');

export function readRules(): RuleFile {
  return parse(readFileSync(rulesFile, 'utf8')) as RuleFile;
}

export type Prometheus = AsyncDisposable & {
  readonly url: string;
  /** An alert has several series, such as one for each service. It fires when one of them fires. */
  readonly isFiring: (alert: string, severity?: string) => Promise<boolean>;
  /** Names of those that fired within the last seconds. */
  readonly firedWithin: (seconds: number) => Promise<readonly string[]>;
};

/** @throws how to install the program, if it is missing */
export function findPrometheus(): string {
  const program = onPath('prometheus');
  if (program !== undefined) return program;
  throw new Error(
    'The drills need the program "prometheus" on PATH. Debian and Ubuntu: apt-get install --no-install-recommends prometheus; elsewhere: unpack a release from prometheus.io.',
  );
}

export async function startPrometheus(
  system: Pick<System, 'folder' | 'runFolder' | 'addresses'>,
  fasterOf: (alert: string | undefined) => Faster,
): Promise<Prometheus> {
  const program = findPrometheus();
  const folder = join(system.folder, 'prometheus');
  // Otherwise Prometheus would continue the data of an earlier run.
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const rules = join(folder, 'alerts.yaml');
  writeFileSync(rules, stringify(scaleRules(readRules(), fasterOf)));
  const config = join(folder, 'prometheus.yaml');
  writeFileSync(config, stringify(configuration(system.addresses, rules)));
  const [port] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const stop = await startServer({
    name: 'prometheus',
    folder: system.runFolder,
    command: program,
    args: [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=warn',
    ],
    stopSignal: 'SIGTERM',
    ready: () => scrapedOnce(url),
  });
  return {
    url,
    isFiring: async (alert, severity) => {
      const named = `alertname="${alert}"${severity === undefined ? '' : `,severity="${severity}"`}`;
      return (await ask(url, `ALERTS{alertstate="firing",${named}}`)).length > 0;
    },
    firedWithin: async (seconds) => {
      const fired = await ask(url, `max_over_time(ALERTS{alertstate="firing"}[${Math.ceil(seconds)}s])`);
      return [...new Set(fired.map(({ metric }) => metric.alertname ?? ''))];
    },
    [Symbol.asyncDispose]: stop,
  };
}

/** As in k8s/components/monitoring, `job` is the name of the service. */
function configuration(addresses: Addresses, rules: string): object {
  return {
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: [rules],
    scrape_configs: serviceNames.map((service) => ({
      job_name: service,
      static_configs: [{ targets: [new URL(addresses[`${service}Admin`]).host] }],
    })),
  };
}

/** Prometheus finds its targets five seconds after its start. A counter that rises before then looks as if it had always been that high. */
async function scrapedOnce(url: string): Promise<void> {
  if ((await ask(url, 'up')).length < serviceNames.length)
    throw new Error('Prometheus has not asked all services yet');
}

type Series = { readonly metric: Readonly<Record<string, string>> };

async function ask(url: string, query: string): Promise<readonly Series[]> {
  const reply = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(query)}`, {
    signal: AbortSignal.timeout(5_000),
  });
  if (!reply.ok) throw new Error(`Prometheus answered ${reply.status}`);
  const { data } = (await reply.json()) as { data: { result: readonly Series[] } };
  return data.result;
}
