/** Production with members counted by processes of their own: what the base says once, the component repeats for each partition. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { repository } from '@offer-ads/dev/start/folder';
import { parse, stringify } from 'yaml';
import type { Manifest } from '../render/patch.ts';
import { render } from '../render/render.ts';
import { faultsOf } from '../render/schemas.ts';

type Deployment = Manifest & {
  readonly spec: {
    readonly strategy: object;
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: Readonly<Record<string, unknown>> & {
        readonly containers: readonly (Readonly<Record<string, unknown>> & {
          readonly env?: readonly { readonly name: string; readonly value: string }[];
        })[];
      };
    };
  };
};

const copy = mkdtempSync(join(tmpdir(), 'audience-partitions-'));
afterAll(() => rmSync(copy, { recursive: true, force: true }));
cpSync(join(repository, 'deploy'), join(copy, 'deploy'), {
  recursive: true,
  filter: (path) => !path.includes('node_modules'),
});
const overlay = join(copy, 'deploy/k8s/overlays/production/kustomization.yaml');
const production = parse(readFileSync(overlay, 'utf8')) as { components: string[] };
production.components.unshift('../../components/audience-partitions');
writeFileSync(overlay, stringify(production));
const manifests = render('overlays/production', join(copy, 'deploy/k8s'));
const named = (kind: string, name: string) =>
  manifests.find(({ kind: its, metadata }) => its === kind && metadata.name === name)!;
const settings = manifests.find(
  ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.startsWith('pricing-'),
) as Manifest & { readonly data: Readonly<Record<string, string>> };
const urls = settings.data.AUDIENCE_PARTITIONS?.split(',') ?? [];
const names = urls.map((url) => new URL(url).hostname);

describe('the audience in partitions', () => {
  it('fits the schemas', () => {
    expect(manifests.flatMap((manifest) => faultsOf(manifest))).toEqual([]);
  });

  it('has a Service for each address, in the order of the partitions, and two processes behind it', () => {
    expect(names).toHaveLength(4);
    for (const [number, name] of names.entries()) {
      const { spec } = named('Service', name) as Manifest & { spec: { selector: Record<string, string> } };
      const { spec: deployed } = named('Deployment', name) as Deployment & { spec: { replicas: number } };
      expect(deployed.replicas).toBe(2);
      expect(deployed.template.metadata.labels).toMatchObject(spec.selector);
      expect(deployed.template.spec.containers[0]?.env).toEqual([
        { name: 'AUDIENCE_PARTITION', value: `${number}/${names.length}` },
      ]);
    }
  });

  it("has pods like pricing's own", () => {
    const own = named('Deployment', 'pricing') as Deployment;
    const { topologySpreadConstraints: _, containers: ownContainers, ...ownPod } = own.spec.template.spec;
    for (const name of names) {
      const { spec } = named('Deployment', name) as Deployment;
      const { topologySpreadConstraints: __, containers, ...pod } = spec.template.spec;
      expect(spec.strategy).toEqual(own.spec.strategy);
      expect(pod).toEqual(ownPod);
      const { env: ___, resources: ____, ...container } = containers[0]!;
      const { resources: _____, ...ownContainer } = ownContainers[0]!;
      expect(container).toEqual(ownContainer);
      // Otherwise the Service for prices would send requests here.
      expect(spec.template.metadata.labels['app.kubernetes.io/component']).toBe('audience-partition');
    }
  });
});
