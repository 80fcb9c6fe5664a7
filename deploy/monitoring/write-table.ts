/** Writes the table of docs/operations/metrics.md from the system that `npm start` runs. Labels that were seen before are kept. */

import { isOfProcess, metricsOfTable, writeTable } from './metrics-table.ts';
import { runningServices } from './running-services.ts';
import { scrapeAll } from './scrape.ts';

const before = new Map(metricsOfTable().map((metric) => [metric.name, metric]));
for (const metric of await scrapeAll(runningServices())) {
  if (isOfProcess(metric.name)) continue;
  const labels = new Set([...metric.labels, ...(before.get(metric.name)?.labels ?? [])]);
  before.set(metric.name, { ...metric, labels: [...labels].toSorted() });
}
writeTable([...before.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1)));
