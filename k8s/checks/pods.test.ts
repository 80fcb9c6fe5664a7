/** The rules that every pod follows. */
import { describe, expect, it } from '@jest/globals';
import type { Manifest } from '../render/patch.ts';
import { manifestsOf } from './overlays.ts';
import { checkEach, containersOf, everyWorkload, type PodSpec } from './workloads.ts';

const workloads = everyWorkload();
const everyContainer = workloads.flatMap(([name, one]) =>
  containersOf(one).map((container) => [`${name} ${container.name}`, container] as const),
);

describe('every pod', () => {
  it('follows Pod Security "restricted", and writes only to its volumes', () => {
    checkEach(workloads, ({ pod }) =>
      expect(pod.securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      }),
    );
    checkEach(everyContainer, ({ securityContext }) =>
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      }),
    );
  });

  it('gets no token of the API server, and no addresses of other Services in its environment', () => {
    checkEach(workloads, ({ pod }) =>
      expect(pod).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false }),
    );
  });

  it('requests processor time and memory, and may use no more memory than it requests', () => {
    checkEach(everyContainer, ({ resources }) => {
      expect(Object.keys(resources.requests).toSorted()).toEqual(['cpu', 'memory']);
      // A limit of processor time would delay requests while the machine is idle.
      expect(resources.limits).toEqual({ memory: resources.requests.memory });
    });
  });

  it('runs a fixed version of its image', () => {
    checkEach(everyContainer, ({ image }) =>
      expect(image).toMatch(/^(?!.*:latest$)[\w./-]+(:[\w.-]+(@sha256:[0-9a-f]{64})?|@sha256:[0-9a-f]{64})$/),
    );
  });

  it('is the pod that its own object selects', () => {
    checkEach(workloads, ({ manifest, labels }) => {
      // A Job has no selector of its own.
      const { selector } = manifest.spec as { selector?: { matchLabels: object } };
      expect(labels).toMatchObject(selector?.matchLabels ?? {});
    });
  });

  it('mounts all of its volumes and no others', () => {
    checkEach(workloads, (one) => {
      const mounted = containersOf(one).flatMap(({ volumeMounts = [] }) =>
        volumeMounts.map(({ name }) => name),
      );
      const { volumeClaimTemplates = [] } = one.manifest.spec as { volumeClaimTemplates?: Manifest[] };
      const volumes = [
        ...(one.pod.volumes ?? []).map(({ name }) => name),
        ...volumeClaimTemplates.map(({ metadata }) => metadata.name),
      ];
      expect([...new Set(mounted)].toSorted()).toEqual(volumes.toSorted());
    });
  });
});

describe('the pods that operators create for stores', () => {
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
    // CloudNativePG creates its budgets itself.
    ['postgres', stores.find(({ kind }) => kind === 'Cluster')!.spec, { 'cnpg.io/cluster': 'postgres' }],
  ] as const)('of %s are evicted one at a time, and run in different zones', (name, spec, matchLabels) => {
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
  });

  // CloudNativePG's pods follow it by default.
  it.each([
    ['RabbitmqCluster', ['rabbitmq', 'setup-container']],
    ['MongoDBCommunity', ['mongod', 'mongodb-agent', 'mongod-posthook', 'mongodb-agent-readinessprobe']],
  ])('of a %s follow Pod Security "restricted"', (kind, names) => {
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
