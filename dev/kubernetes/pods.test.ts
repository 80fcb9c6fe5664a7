/** What every pod owes a cluster, and that probes, ports, commands, folders and times are those of the code. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { serviceNames } from '@offer-ads/contracts/primitives';
import { systemClock } from '@offer-ads/platform/clock';
import { startHttpServer } from '@offer-ads/platform/http-server';
import { createMetrics } from '@offer-ads/platform/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { runAdmin } from '../../packages/admin/src/run.ts';
import { images } from '../backing/containers.ts';
import { manifestsOf, overlays, wholeOf } from './overlays.ts';
import type { Manifest } from './render.ts';
import {
  type Container,
  environmentOf,
  type PodSpec,
  type Workload,
  workload,
  workloadsOf,
} from './workloads.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const all = overlays.flatMap((overlay) =>
  workloadsOf(overlay).map((one) => [`${overlay} ${one.kind} ${one.name}`, one] as const),
);
const services = overlays.flatMap((overlay) => serviceNames.map((name) => [overlay, name] as const));
const containersOf = ({ pod }: Workload) => [...pod.containers, ...(pod.initContainers ?? [])];

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
      expect(image).toMatch(/^[\w./-]+:[\w.-]+$/);
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

describe.each(overlays)('the overlay %s', (overlay) => {
  const manifests = wholeOf(overlay);
  const ofKind = (kind: string) => manifests.filter((manifest) => manifest.kind === kind);

  it('has everything in one namespace that enforces Pod Security', () => {
    const namespaces = new Set(
      manifests.filter(({ kind }) => kind !== 'Namespace').map(({ metadata }) => metadata.namespace),
    );
    expect(namespaces.size).toBe(1);
    // That of dev comes with its Secrets (dev-secrets.ts).
    if (overlay === 'dev') return;
    const [namespace] = ofKind('Namespace');
    expect(namespaces).toContain(namespace?.metadata.name);
    expect(namespace?.metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted' });
  });

  it('has the ServiceAccounts and claims that its pods name', () => {
    const namesOf = (kind: string) => ofKind(kind).map(({ metadata }) => metadata.name);
    const pods = workloadsOf(overlay).map(({ pod }) => pod);
    // The plain stores of dev run under the one that every namespace has.
    const accounts = pods.flatMap(({ serviceAccountName }) => serviceAccountName ?? []);
    expect(namesOf('ServiceAccount')).toEqual(expect.arrayContaining(accounts));
    const claims = pods.flatMap(({ volumes = [] }) =>
      volumes.flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []),
    );
    expect([...new Set(claims)].toSorted((a, b) => (a < b ? -1 : 1))).toEqual(
      namesOf('PersistentVolumeClaim').toSorted((a, b) => (a < b ? -1 : 1)),
    );
  });

  it('has Services that lead to a port of the pods that they select', () => {
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

  it('runs the stores in the versions that tests and npm start run', () => {
    const run = workloadsOf(overlay).flatMap((one) => containersOf(one).map(({ image }) => image));
    expect(run).toContain(images.valkey);
    if (overlay === 'dev') {
      for (const image of [images.postgres, `${images.rabbitmq}-management`, images.mongo])
        expect(run).toContain(image);
      return;
    }
    const stores = manifestsOf(`overlays/${overlay}/stores`);
    const specOf = (kind: string) => stores.find((manifest) => manifest.kind === kind)?.spec;
    expect(specOf('RabbitmqCluster')).toMatchObject({ image: `${images.rabbitmq}-management` });
    expect(`mongo:${(specOf('MongoDBCommunity') as { version: string }).version}`).toBe(images.mongo);
    const { imageName } = specOf('Cluster') as { imageName: string };
    expect(imageName).toMatch(new RegExp(`/postgresql:${images.postgres.split(':')[1]}-`));
  });
});

describe.each(services)('in %s, %s', (overlay, name) => {
  const { pod, manifest } = workload(overlay, name);
  const [container] = pod.containers as readonly [Container];

  it('listens on the port that its Service leads to', () => {
    const environment = environmentOf(overlay, workload(overlay, name));
    expect(container.ports).toEqual([{ name: 'http', containerPort: Number(environment.PORT) }]);
    expect(environment.HOST).toBe('0.0.0.0');
  });

  it('is rolled out without a moment with fewer of it', () => {
    expect(manifest.spec).toMatchObject({
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    });
  });

  it('is left the time that it takes to stop', () => {
    const code = readFileSync(join(repository, 'packages/platform/src/process.ts'), 'utf8');
    const secondsOf = (constant: string) => Number(new RegExp(`${constant} = (\\d+)_000`).exec(code)?.[1]);
    const preStop = container.lifecycle?.preStop.sleep.seconds ?? 0;
    const needed = preStop + secondsOf('stopWithinMs') + secondsOf('lingerMs');
    expect(needed).toBeGreaterThan(30);
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(needed);
  });

  it('is disturbed one pod at a time', () => {
    const budgets = wholeOf(overlay).filter(
      ({ kind, metadata }) => kind === 'PodDisruptionBudget' && metadata.name === name,
    );
    expect(budgets.map(({ spec }) => spec)).toEqual([
      expect.objectContaining({
        maxUnavailable: 1,
        selector: {
          matchLabels: { 'app.kubernetes.io/name': name, 'app.kubernetes.io/component': 'service' },
        },
      }),
    ]);
  });

  it('has a disk where its settings name a folder', () => {
    const environment = environmentOf(overlay, workload(overlay, name));
    const folders = Object.entries(environment)
      .filter(([variable]) => /_FOLDER$|^IMAGE_STORE_URL$/.test(variable))
      .flatMap(([, value]) => /^(?:file:\/\/)?(\/.+)$/.exec(value)?.[1] ?? []);
    const mounts = (container.volumeMounts ?? []).filter(({ readOnly }) => readOnly !== true);
    for (const folder of folders)
      expect(mounts.some(({ mountPath }) => folder.startsWith(`${mountPath}/`))).toBe(true);
    expect(mounts.length - 1).toBe(folders.length);
  });
});

describe('probes', () => {
  it('ask for paths that every service answers', async () => {
    await using server = await startHttpServer({
      service: 'offers',
      host: '127.0.0.1',
      port: 0,
      logger: silentLogger,
      metrics: createMetrics('offers'),
      clock: systemClock,
      readiness: async () => [],
      routes: () => {},
    });
    const paths = services.flatMap(([overlay, name]) => {
      const [container] = workload(overlay, name).pod.containers as readonly [Container];
      return [container.startupProbe, container.livenessProbe, container.readinessProbe].map(
        (probe) => probe?.httpGet?.path,
      );
    });
    expect([...new Set(paths)]).toEqual(['/livez', '/readyz']);
    for (const path of [...new Set(paths), '/metrics'])
      expect((await fetch(`${server.url}${path}`)).status).toBe(200);
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

describe('moderation', () => {
  it.each(overlays.filter((overlay) => overlay !== 'dev'))(
    'has in %s a processor for each thread of the model',
    (overlay) => {
      const { MODEL_THREADS } = environmentOf(overlay, workload(overlay, 'moderation'));
      expect(MODEL_THREADS).toBe(workload(overlay, 'moderation').pod.containers[0]?.resources.requests.cpu);
    },
  );
});

describe('Jobs', () => {
  const jobs = all.filter(([, { kind }]) => kind === 'Job' || kind === 'CronJob');

  it.each(jobs)('%s runs what is in its image', (_, { pod }) => {
    const [{ image, command = [] }] = pod.containers as readonly [Container];
    const service = /([a-z]+):[^:]+$/.exec(image)?.[1] ?? '';
    const [node, file = ''] = command;
    expect(node).toBe('node');
    // The working folder of the image is the service's (Dockerfile).
    const path = file.startsWith('/app/') ? file.slice('/app/'.length) : join('services', service, file);
    expect([path, existsSync(join(repository, path))]).toEqual([path, true]);
  });

  it.each(jobs.filter(([name]) => name.includes('Job migrate-')))(
    '%s brings up to date the database of its own service',
    (_, { name, pod }) => {
      const [{ image, env = [] }] = pod.containers as readonly [Container];
      const service = name.replace('migrate-', '');
      expect(image).toContain(`/${service}:`);
      expect(env.map((variable) => variable.name)).toEqual([`${service.toUpperCase()}_DATABASE_URL`]);
      expect(existsSync(join(repository, 'services', service, 'src/migrate.ts'))).toBe(true);
    },
  );

  it('migrate every database that has migrations', () => {
    const withMigrations = serviceNames.filter((name) =>
      existsSync(join(repository, 'services', name, 'migrations')),
    );
    const migrated = workloadsOf('production')
      .filter(({ kind }) => kind === 'Job')
      .map(({ name }) => name);
    expect(migrated.toSorted()).toEqual(withMigrations.map((name) => `migrate-${name}`).toSorted());
    // By which the README waits for them.
    for (const { kind, metadata } of manifestsOf('overlays/production/migrations'))
      if (kind === 'Job')
        expect(metadata.labels).toMatchObject({ 'app.kubernetes.io/component': 'migration' });
  });

  it('ask the admin tool for a command that it has', async () => {
    const [{ command = [] }] = workload('production', 'ledger-check').pod.containers as readonly [Container];
    const words = command.slice(2).filter((word) => word !== '--json');
    const said: string[] = [];
    const tools = () => {
      throw new Error('not needed');
    };
    await runAdmin([...words, '--help'], tools, {
      out: (line) => said.push(line),
      err: (line) => said.push(line),
    });
    expect(said.join('\n')).toMatch(new RegExp(`^${words.join(' ')}\\n`));
  });
});

describe('the databases', () => {
  it('have connections for every service at its largest, one more while it is rolled out, and some to spare', () => {
    const perPod = { gateway: 16, offers: 11, billing: 11 };
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
