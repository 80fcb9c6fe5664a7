/** What is generated for Prometheus and Grafana: path and text. */
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
    ['k8s/components/monitoring/rules.yaml', prometheusRule()],
  ]);
}
