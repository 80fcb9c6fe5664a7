/** The rules of deploy/monitoring/, and the objects that hand them to the Prometheus Operator of one environment. */
import { readFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { withMatcher } from './promql.ts';

const alert = z.strictObject({
  alert: z.string(),
  expr: z.string(),
  for: z.string().optional(),
  labels: z.strictObject({ severity: z.enum(['page', 'ticket']) }),
  annotations: z.strictObject({ summary: z.string(), description: z.string(), runbook_url: z.url() }),
});
const recording = z.strictObject({ record: z.string(), expr: z.string() });
const ruleFile = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: z.string(),
      rules: z.array(z.union([alert, recording])),
    }),
  ),
});

export type Alert = z.infer<typeof alert>;
export type Recording = z.infer<typeof recording>;

/** Which alerts: on metrics of the services, which hold everywhere, or on those of others in a cluster. */
export type About = 'services' | 'cluster';
const files = { services: 'alerts.yaml', cluster: 'cluster-alerts.yaml' } as const satisfies Record<
  About,
  string
>;

const groupsOf = (about: About) =>
  ruleFile.parse(parse(readFileSync(new URL(`./${files[about]}`, import.meta.url), 'utf8'))).groups;
const rulesOf = (about: About) => groupsOf(about).flatMap((group) => group.rules);

export const alerts: readonly Alert[] = rulesOf('services').filter((rule) => 'alert' in rule);
export const recordings: readonly Recording[] = rulesOf('services').filter((rule) => 'record' in rule);
export const clusterAlerts: readonly Alert[] = rulesOf('cluster').filter((rule) => 'alert' in rule);

/** Rules on backups ask whether they are there at all, so an environment that makes none must not have them. */
const GROUP_OF_BACKUPS = 'offer-ads-backups';

/**
 * Every selector asks for the namespace, and every alert has it as a label: one Prometheus may look after several environments,
 * and one that is up must not hide another that is down.
 */
export function prometheusRule(
  about: About,
  { namespace, hasBackups }: { readonly namespace: string; readonly hasBackups: boolean },
): string {
  const kept = groupsOf(about).filter(({ name }) => hasBackups || name !== GROUP_OF_BACKUPS);
  const groups = kept.map(({ name, rules }) => ({
    name,
    rules: rules.map((rule) => ({
      ...rule,
      expr: withMatcher(rule.expr, `namespace="${namespace}"`),
      labels: { ...('labels' in rule && rule.labels), namespace },
    })),
  }));
  const object = {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: about === 'services' ? 'offer-ads' : 'offer-ads-cluster' },
    spec: { groups },
  };
  return `# Generated from deploy/monitoring/${files[about]} by \`npm run generate\`.\n${stringify(object, { lineWidth: 0 })}`;
}
