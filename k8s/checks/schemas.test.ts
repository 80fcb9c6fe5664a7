/** Every object of every overlay fits its schema, and unknown fields are refused. */
import { describe, expect, it } from '@jest/globals';
import { operate } from '../render/patch.ts';
import { faultsOf, podFaults } from '../render/schemas.ts';
import { deployed, manifestsOf } from './overlays.ts';

const all = deployed.flatMap((folder) =>
  manifestsOf(folder).map((manifest) => ({
    manifest,
    name: `${folder} ${manifest.kind} ${manifest.metadata.name}`,
  })),
);
const kinds = [...new Set(all.map(({ manifest }) => manifest.kind))];
const first = (kind: string) => all.find(({ manifest }) => manifest.kind === kind)!.manifest;

describe('every object', () => {
  it('fits its schema', () => {
    const faults = all.flatMap(({ manifest, name }) =>
      faultsOf(manifest).map((fault) => `${name}: ${fault}`),
    );
    expect(faults).toEqual([]);
  });

  it.each(kinds)('of kind %s is refused with an unknown field', (kind) => {
    const sound = first(kind);
    expect(faultsOf({ ...sound, surplus: 1 })).toEqual([expect.stringContaining('"surplus"')]);
    expect(faultsOf({ ...sound, metadata: { ...sound.metadata, surplus: 1 } })).toHaveLength(1);
    if (typeof sound.spec !== 'object') return;
    expect(faultsOf({ ...sound, spec: { ...sound.spec, surplus: 1 } })).not.toEqual([]);
  });

  it.each([
    ['Deployment', '/spec/template/spec/containers/0/livenessProbe/httpGet/paht'],
    ['Deployment', '/spec/template/spec/securityContext/runAsNonroot'],
    ['CronJob', '/spec/jobTemplate/spec/template/spec/containers/0/command2'],
    ['NetworkPolicy', '/spec/podSelector/matchLabel'],
    ['Cluster', '/spec/postgresql/parameter'],
    ['RabbitmqCluster', '/spec/override/statefulSet/spec/template/spec/containers/0/securitycontext'],
    ['ExternalSecret', '/spec/target/template/dta'],
    ['ScaledObject', '/spec/triggers/0/metadatas'],
    ['ServiceMonitor', '/spec/endpoints/0/prot'],
  ])('of kind %s is refused with a typing error at %s', (kind, path) => {
    const wrong = operate(first(kind), [{ op: 'add', path, value: true }]) as ReturnType<typeof first>;
    expect(faultsOf(wrong)).not.toEqual([]);
  });

  it('of MongoDB has pods that fit the schema of Kubernetes, because its own schema does not describe them', () => {
    const { spec } = first('MongoDBCommunity') as unknown as {
      spec: { statefulSet: { spec: { template: { spec: object } } } };
    };
    const { template } = spec.statefulSet.spec;
    expect(podFaults(template.spec)).toEqual([]);
    expect(podFaults({ ...template.spec, surplus: 1 })).toHaveLength(1);
  });
});
