/** The objects of an overlay fit together, and run the right versions of the stores. */
import { describe, expect, it } from '@jest/globals';
import { images } from '@offer-ads/backing/docker/containers';
import { manifestsOf, overlays, wholeOf } from './overlays.ts';
import { containersOf, environmentOf, workload, workloadsOf } from './workloads.ts';

describe.each(overlays)('the overlay %s', (overlay) => {
  const manifests = wholeOf(overlay);
  const ofKind = (kind: string) => manifests.filter((manifest) => manifest.kind === kind);

  it('has all objects in one namespace that enforces Pod Security', () => {
    const namespaces = new Set(
      manifests.filter(({ kind }) => kind !== 'Namespace').map(({ metadata }) => metadata.namespace),
    );
    expect(namespaces.size).toBe(1);
    // dev-secrets.ts creates the namespace of dev.
    if (overlay === 'dev') return;
    const [namespace] = ofKind('Namespace');
    expect(namespaces).toContain(namespace?.metadata.name);
    expect(namespace?.metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted' });
  });

  it('has the ServiceAccounts and claims that its pods use', () => {
    const namesOf = (kind: string) => ofKind(kind).map(({ metadata }) => metadata.name);
    const pods = workloadsOf(overlay).map(({ pod }) => pod);
    // The plain stores of dev use the default ServiceAccount.
    const accounts = pods.flatMap(({ serviceAccountName }) => serviceAccountName ?? []);
    expect(namesOf('ServiceAccount')).toEqual(expect.arrayContaining(accounts));
    const claims = pods.flatMap(({ volumes = [] }) =>
      volumes.flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []),
    );
    expect([...new Set(claims)].toSorted((a, b) => (a < b ? -1 : 1))).toEqual(
      namesOf('PersistentVolumeClaim').toSorted((a, b) => (a < b ? -1 : 1)),
    );
  });

  it('has Services with ports of the pods that they select', () => {
    for (const { metadata, spec } of ofKind('Service')) {
      const { selector, ports } = spec as { selector: object; ports: { targetPort: string }[] };
      const behind = workloadsOf(overlay).filter(({ labels }) =>
        Object.entries(selector).every(([key, value]) => labels[key] === value),
      );
      expect([metadata.name, behind.length]).toEqual([metadata.name, 1]);
      const open = behind.flatMap((one) =>
        containersOf(one).flatMap(({ ports = [] }) => ports.map(({ name }) => name)),
      );
      for (const { targetPort } of ports) expect(open).toContain(targetPort);
    }
  });

  it('runs the versions of the stores that tests and npm start run', () => {
    const withoutDigest = (image: string) => image.split('@')[0]!;
    const run = workloadsOf(overlay).flatMap((one) =>
      containersOf(one).map(({ image }) => withoutDigest(image)),
    );
    expect(run).toContain(images.valkey);
    if (overlay === 'dev') {
      for (const image of [images.postgres, `${images.rabbitmq}-management`, images.mongo])
        expect(run).toContain(image);
      return;
    }
    const stores = manifestsOf(`overlays/${overlay}/stores`);
    const specOf = (kind: string) => stores.find((manifest) => manifest.kind === kind)?.spec;
    const { image } = specOf('RabbitmqCluster') as { image: string };
    expect(withoutDigest(image)).toBe(`${images.rabbitmq}-management`);
    expect(`mongo:${(specOf('MongoDBCommunity') as { version: string }).version}`).toBe(images.mongo);
    const { imageName } = specOf('Cluster') as { imageName: string };
    expect(imageName).toMatch(new RegExp(`/postgresql:${images.postgres.split(':')[1]}-`));
  });
});

describe('the stores of pictures', () => {
  it('are different for each environment, because each removes the pictures that its own database does not have', () => {
    const stores = overlays.map(
      (overlay) => environmentOf(overlay, workload(overlay, 'offers')).IMAGE_STORE_URL ?? '',
    );
    const within = (one: string, other: string) => `${one}/`.startsWith(`${other}/`);
    const shared = stores.filter((store, i) => stores.some((other, j) => i !== j && within(store, other)));
    expect(shared).toEqual([]);
  });
});

describe('the databases', () => {
  it('have connections for the most pods of every service, one more during a rolling update, and some to spare', () => {
    const perPod = { gateway: 15, offers: 10, billing: 10 };
    const scaled = manifestsOf('overlays/production').filter(({ kind }) => kind === 'ScaledObject');
    const needed = Object.entries(perPod).reduce((sum, [name, connections]) => {
      const { maxReplicaCount } = scaled.find(({ metadata }) => metadata.name === name)!.spec as {
        maxReplicaCount: number;
      };
      return sum + (maxReplicaCount + 1) * connections;
    }, 20);
    const cluster = manifestsOf('overlays/production/stores').find(({ kind }) => kind === 'Cluster')!;
    const { postgresql } = cluster.spec as { postgresql: { parameters: { max_connections: string } } };
    expect(needed).toBeLessThanOrEqual(Number(postgresql.parameters.max_connections));
  });
});
