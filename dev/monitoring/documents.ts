/** What is generated for Prometheus and Grafana: path and text. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { repository } from '../start/folder.ts';
import { prometheusRule } from './alerts.ts';
import { type Dashboard, grafanaJson } from './dashboard.ts';
import { billing } from './dashboards/billing.ts';
import { gateway } from './dashboards/gateway.ts';
import { mailAndModeration } from './dashboards/mail-and-moderation.ts';
import { messages } from './dashboards/messages.ts';
import { overview } from './dashboards/overview.ts';
import { pricing } from './dashboards/pricing.ts';

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
          `monitoring/dashboards/${dashboard.uid}.json`,
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
  return globSync('k8s/overlays/*/alerts/kustomization.yaml', { cwd: repository })
    .toSorted()
    .map((file) => {
      const folder = dirname(dirname(file));
      const text = readFileSync(join(repository, folder, 'kustomization.yaml'), 'utf8');
      return { folder, namespace: (parse(text) as { namespace: string }).namespace };
    });
}
