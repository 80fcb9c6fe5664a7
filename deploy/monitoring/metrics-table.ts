/** docs/operations/metrics.md: the one list of the services' own metrics, in which tests look names and labels up. */
import { readFileSync } from 'node:fs';
import { serviceNames } from '@offer-ads/contracts/values/primitives';

export type Metric = {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly string[];
  readonly services: readonly string[];
  readonly help: string;
};

const file = new URL('../../docs/operations/metrics.md', import.meta.url);
/** Stands for all services. */
const ALL = 'all';
const row = /^\| `(\w+)` \| (counter|gauge|histogram) \| (.*?) \| (.*?) \| (.*) \|$/;

export function metricsOfTable(): readonly Metric[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.flatMap((line) => {
    const [, name, type, labels = '', services = '', help = ''] = row.exec(line) ?? [];
    if (name === undefined) return [];
    const words = (text: string) => text.split(', ').filter((word) => word !== '');
    return [
      {
        name,
        type: type as Metric['type'],
        labels: words(labels.replaceAll('`', '')),
        services: services === ALL ? serviceNames : words(services),
        help,
      },
    ];
  });
}

/** What Node and the client library tell of a process of their own accord; not listed. */
export const isOfProcess = (name: string) => /^(process|nodejs)_/.test(name);

/** Of which dashboards may speak all the same, with the labels that they have. */
export const processMetrics: readonly Metric[] = [
  { name: 'process_cpu_seconds_total', type: 'counter' },
  { name: 'process_resident_memory_bytes', type: 'gauge' },
  { name: 'nodejs_eventloop_lag_p99_seconds', type: 'gauge' },
].map((each) => Object.assign({ labels: [], services: [], help: '' }, each) as Metric);
