/** What every pod owes a cluster. */
import { describe, expect, it } from '@jest/globals';
import type { Manifest } from '../render/patch.ts';
import { manifestsOf, overlays } from './overlays.ts';
import { containersOf, type PodSpec, workloadsOf } from './workloads.ts';

const all = overlays.flatMap((overlay) =>
  workloadsOf(overlay).map((one) => [`${overlay} ${one.kind} ${one.name}`, one] as const),
);

describe.each(all)('%s', (_, one) => {
  const { pod, manifest, labels } = one;

  it('keeps to Pod Security "restricted", and writes nowhere but in its volumes', () => {
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    for (const container of containersOf(one))
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
  });

  it('gets no token of the API server, and no addresses of other Services in its environment', () => {
    expect(pod).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
  });

  it('says what it needs, and has its memory to itself', () => {
    for (const { resources } of containersOf(one)) {
      expect(Object.keys(resources.requests).toSorted()).toEqual(['cpu', 'memory']);
      // A limit of processor time would hold up requests while the machine idles.
      expect(resources.limits).toEqual({ memory: resources.requests.memory });
    }
  });

  it('runs an image of a certain version', () => {
    for (const { image } of containersOf(one)) {
      expect(image).toMatch(/^[\w./-]+(:[\w.-]+)?(@sha256:[0-9a-f]{64})?$/);
      expect(image).toMatch(/[:@]/);
      expect(image).not.toMatch(/:latest$/);
    }
  });

  it('is the pod that its own object selects', () => {
    // Jobs select by themselves.
    const { selector } = manifest.spec as { selector?: { matchLabels: object } };
    expect(labels).toMatchObject(selector?.matchLabels ?? {});
  });

  it('mounts the volumes that it has, all of them', () => {
    const mounted = containersOf(one).flatMap(({ volumeMounts = [] }) =>
      volumeMounts.map(({ name }) => name),
    );
    const templates = (manifest.spec as { volumeClaimTemplates?: Manifest[] }).volumeClaimTemplates ?? [];
    const had = [
      ...(pod.volumes ?? []).map(({ name }) => name),
      ...templates.map(({ metadata }) => metadata.name),
    ];
    expect([...new Set(mounted)].toSorted()).toEqual(had.toSorted());
  });
});

describe('the pods that operators make of stores', () => {
  type Override = { readonly spec: { readonly template: { readonly spec: PodSpec } } };
  const stores = manifestsOf('overlays/production/stores');
  const podOf = (kind: string): PodSpec => {
    const spec = stores.find((manifest) => manifest.kind === kind)!.spec as {
      readonly override?: { readonly statefulSet: Override };
      readonly statefulSet?: Override;
    };
    return (spec.override?.statefulSet ?? spec.statefulSet)!.spec.template.spec;
  };

  it.each([
    ['rabbitmq', podOf('RabbitmqCluster'), { 'app.kubernetes.io/name': 'rabbitmq' }],
    ['mongo', podOf('MongoDBCommunity'), { app: 'mongo-svc' }],
    // CloudNativePG makes its budgets by itself.
    ['postgres', stores.find(({ kind }) => kind === 'Cluster')!.spec, { 'cnpg.io/cluster': 'postgres' }],
  ] as const)(
    'of %s are disturbed one at a time, and stand in different zones',
    (name, spec, matchLabels) => {
      const { topologySpreadConstraints } = spec as { topologySpreadConstraints?: object[] };
      expect(topologySpreadConstraints).toEqual([
        expect.objectContaining({
          topologyKey: 'topology.kubernetes.io/zone',
          maxSkew: 1,
          labelSelector: { matchLabels },
        }),
      ]);
      if (name === 'postgres') return expect(spec).not.toHaveProperty('enablePDB', false);
      const budget = stores.find(
        ({ kind, metadata }) => kind === 'PodDisruptionBudget' && metadata.name === name,
      );
      expect(budget?.spec).toEqual({ maxUnavailable: 1, selector: { matchLabels } });
    },
  );

  // CloudNativePG's keep to it by themselves.
  it.each([
    ['RabbitmqCluster', ['rabbitmq', 'setup-container']],
    ['MongoDBCommunity', ['mongod', 'mongodb-agent', 'mongod-posthook', 'mongodb-agent-readinessprobe']],
  ])('of a %s keep to Pod Security "restricted"', (kind, names) => {
    const pod = podOf(kind);
    const containers = [...pod.containers, ...(pod.initContainers ?? [])];
    expect(containers.map(({ name }) => name)).toEqual(names);
    const seccompProfile = { type: 'RuntimeDefault' };
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile });
    for (const { securityContext } of containers)
      expect(securityContext).toMatchObject({
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      });
  });
});
