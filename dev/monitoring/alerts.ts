/** The rules of monitoring/alerts.yaml, and the object that hands them to the Prometheus Operator. */
import { readFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import { z } from 'zod';

const file = new URL('../../monitoring/alerts.yaml', import.meta.url);

const alert = z.strictObject({
  alert: z.string(),
  expr: z.string(),
  for: z.string().optional(),
  labels: z.strictObject({ severity: z.enum(['page', 'ticket']) }),
  annotations: z.strictObject({ summary: z.string(), description: z.string(), runbook_url: z.string() }),
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

const { groups } = ruleFile.parse(parse(readFileSync(file, 'utf8')));
const rules = groups.flatMap((group) => group.rules);

export const alerts: readonly Alert[] = rules.filter((rule) => 'alert' in rule);
export const recordings: readonly Recording[] = rules.filter((rule) => 'record' in rule);

export function prometheusRule(): string {
  const object = {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: 'offer-ads' },
    spec: { groups },
  };
  return `# Generated from monitoring/alerts.yaml by \`npm run generate\`.\n${stringify(object, { lineWidth: 0 })}`;
}
