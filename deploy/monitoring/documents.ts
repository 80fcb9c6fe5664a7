/** What is generated for the Prometheus Operator: path and text. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repository } from '@offer-ads/dev/start/folder';
import { parse } from 'yaml';
import { prometheusRule } from './alerts.ts';

export function monitoringDocuments(): ReadonlyMap<string, string> {
  return new Map(
    environments().flatMap(({ folder, ...environment }) =>
      (['services', 'cluster'] as const).map(
        (about) => [`${folder}/alerts/${about}.yaml`, prometheusRule(about, environment)] as const,
      ),
    ),
  );
}

type Environment = { readonly folder: string; readonly namespace: string; readonly hasBackups: boolean };

/** Every overlay that has alerts, with the namespace that it brings everything to, and whether its stores are backed up. */
export function environments(): Environment[] {
  const read = (folder: string) =>
    parse(readFileSync(join(repository, folder, 'kustomization.yaml'), 'utf8')) as {
      namespace: string;
      components?: string[];
    };
  return globSync('k8s/overlays/*/alerts/kustomization.yaml', { cwd: repository })
    .toSorted()
    .map((file) => {
      const folder = dirname(dirname(file));
      const { components = [] } = read(`${folder}/stores`);
      const hasBackups = components.includes('../../../components/backups');
      return { folder, namespace: read(folder).namespace, hasBackups };
    });
}
