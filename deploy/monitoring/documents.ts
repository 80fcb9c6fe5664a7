/** What is generated for Prometheus and Grafana: path and text. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repository } from '@offer-ads/dev/start/folder';
import { parse } from 'yaml';
import { prometheusRule } from './alerts.ts';
import { type Dashboard, grafanaJson } from './dashboard.ts';
import { billing } from './panels/billing.ts';
import { gateway } from './panels/gateway.ts';
import { mailAndModeration } from './panels/mail-and-moderation.ts';
import { messages } from './panels/messages.ts';
import { overview } from './panels/overview.ts';
import { pricing } from './panels/pricing.ts';

export const dashboards: readonly Dashboard[] = [
  overview,
  messages,
  billing,
  pricing,
  mailAndModeration,
  gateway,
];

export function monitoringDocuments(): ReadonlyMap<string, string> {
  return new Map([
    ...dashboards.map(
      (dashboard) =>
        [
          `deploy/monitoring/dashboards/${dashboard.uid}.json`,
          `${JSON.stringify(grafanaJson(dashboard), null, 2)}\n`,
        ] as const,
    ),
    ...environments().flatMap(({ folder, namespace }) =>
      (['services', 'cluster'] as const).map(
        (about) => [`${folder}/alerts/${about}.yaml`, prometheusRule(about, namespace)] as const,
      ),
    ),
  ]);
}

/** Every overlay that has alerts, with the namespace that it brings everything to. */
export function environments(): { folder: string; namespace: string }[] {
  return globSync('deploy/k8s/overlays/*/alerts/kustomization.yaml', { cwd: repository })
    .toSorted()
    .map((file) => {
      const folder = dirname(dirname(file));
      const text = readFileSync(join(repository, folder, 'kustomization.yaml'), 'utf8');
      return { folder, namespace: (parse(text) as { namespace: string }).namespace };
    });
}
