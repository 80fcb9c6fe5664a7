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

export type Seen = {
  readonly alert: string;
  readonly state: 'pending' | 'firing';
  readonly labels: Readonly<Record<string, string>>;
};

export type Prometheus = AsyncDisposable & {
  readonly url: string;
  /** Every alert that is pending or firing now. */
  readonly alerts: () => Promise<readonly Seen[]>;
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
    alerts: async () => {
      const reply = await get(`${url}/api/v1/alerts`);
      const { data } = (await reply.json()) as AlertsReply;
      return data.alerts.map(({ state, labels }) => ({ state, labels, alert: labels.alertname ?? '' }));
    },
    [Symbol.asyncDispose]: stop,
  };
}

type AlertsReply = { data: { alerts: { state: 'pending' | 'firing'; labels: Record<string, string> }[] } };

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
  const reply = await get(`${url}/api/v1/query?query=up`);
  const { data } = (await reply.json()) as { data: { result: readonly unknown[] } };
  if (data.result.length < serviceNames.length) throw new Error('Prometheus has not asked all services yet');
}

async function get(url: string): Promise<Response> {
  const reply = await fetch(url, { signal: AbortSignal.timeout(5_000) });
  if (!reply.ok) throw new Error(`Prometheus answered ${reply.status}`);
  return reply;
}
