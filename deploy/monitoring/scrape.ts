/** What running services tell at /metrics, in the form of the table. */
import type { Metric } from './metrics-table.ts';

export type Scraped = Metric & { readonly series: readonly Readonly<Record<string, string>>[] };

/** @param addresses of services by their names */
export async function scrapeAll(addresses: Readonly<Record<string, string>>): Promise<readonly Scraped[]> {
  const byName = new Map<string, Scraped>();
  for (const [service, url] of Object.entries(addresses)) {
    const response = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(10_000) });
    for (const metric of readMetrics(await response.text(), service)) {
      const known = byName.get(metric.name);
      byName.set(metric.name, known === undefined ? metric : together(known, metric));
    }
  }
  return [...byName.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

function together(one: Scraped, other: Scraped): Scraped {
  return {
    ...one,
    services: [...one.services, ...other.services],
    labels: [...new Set([...one.labels, ...other.labels])].toSorted(),
    series: [...one.series, ...other.series],
  };
}

/** The text format of Prometheus. The label `service`, which all have, and the `le` of buckets are left out. */
export function readMetrics(text: string, service: string): readonly Scraped[] {
  const found: (Omit<Scraped, 'labels'> & { labels: Set<string>; series: Record<string, string>[] })[] = [];
  let help = '';
  for (const line of text.split('\n')) {
    const [, helped, said = ''] = /^# HELP (\w+) (.*)$/.exec(line) ?? [];
    if (helped !== undefined) help = said;
    const [, name, type] = /^# TYPE (\w+) (\w+)$/.exec(line) ?? [];
    if (name !== undefined)
      found.push({
        name,
        type: type as Metric['type'],
        help,
        services: [service],
        labels: new Set(),
        series: [],
      });
    const [, labels] = /^\w+\{(.*)\} \S+$/.exec(line) ?? [];
    const last = found.at(-1);
    if (labels === undefined || last === undefined) continue;
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', value = '']) => [
      key,
      value,
    ]);
    const series = Object.fromEntries(pairs.filter(([key]) => key !== 'service' && key !== 'le')) as Record<
      string,
      string
    >;
    for (const key of Object.keys(series)) last.labels.add(key);
    last.series.push(series);
  }
  return found.map((each) => Object.assign({}, each, { labels: [...each.labels].toSorted() }));
}
