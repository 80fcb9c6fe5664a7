/** The ports, probes, folders and times in the Deployments of the six services match the code. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { serviceNames } from '@offer-ads/contracts/values/primitives';
import { startHttpServer } from '@offer-ads/platform/http/server';
import { systemClock } from '@offer-ads/platform/process/clock';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { overlays, wholeOf } from './overlays.ts';
import { type Container, checkEach, environmentOf, workload } from './workloads.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const deployments = overlays.flatMap((overlay) =>
  serviceNames.map((name) => {
    const found = workload(overlay, name);
    const [container] = found.pod.containers as readonly [Container];
    return [`${overlay} ${name}`, { ...found, overlay, container }] as const;
  }),
);

describe('every service', () => {
  it('listens on the ports of its Service', () => {
    checkEach(deployments, (one) => {
      const { PORT, ADMIN_PORT, HOST } = environmentOf(one.overlay, one);
      expect(one.container.ports).toEqual([
        { name: 'http', containerPort: Number(PORT) },
        { name: 'admin', containerPort: Number(ADMIN_PORT) },
      ]);
      expect(HOST).toBe('0.0.0.0');
    });
  });

  it('is rolled out without a moment with fewer replicas', () => {
    checkEach(deployments, ({ manifest }) =>
      expect(manifest.spec).toMatchObject({
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      }),
    );
  });

  it('gets as much time to stop as its code may take', () => {
    const code = readFileSync(join(repository, 'packages/platform/src/process/process.ts'), 'utf8');
    const secondsOf = (constant: string) => Number(new RegExp(`${constant} = (\\d+)_000`).exec(code)?.[1]);
    const stopping = secondsOf('stopWithinMs') + secondsOf('lingerMs');
    expect(stopping).toBeGreaterThan(30);
    checkEach(deployments, ({ pod, container }) => {
      const preStop = container.lifecycle?.preStop.sleep.seconds ?? 0;
      expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(preStop + stopping);
    });
  });

  it('has its pods evicted one at a time', () => {
    checkEach(deployments, ({ overlay, name }) => {
      const budgets = wholeOf(overlay).filter(
        ({ kind, metadata }) => kind === 'PodDisruptionBudget' && metadata.name === name,
      );
      const matchLabels = { 'app.kubernetes.io/name': name, 'app.kubernetes.io/component': 'service' };
      expect(budgets.map(({ spec }) => spec)).toEqual([
        expect.objectContaining({ maxUnavailable: 1, selector: { matchLabels } }),
      ]);
    });
  });

  it('is spread over zones and nodes, and each release is counted separately', () => {
    const over = (topologyKey: string) =>
      expect.objectContaining({
        topologyKey,
        maxSkew: 1,
        labelSelector: { matchLabels: { 'app.kubernetes.io/component': 'service' } },
        matchLabelKeys: ['app.kubernetes.io/name', 'pod-template-hash'],
      });
    checkEach(deployments, ({ pod }) =>
      expect(pod).toHaveProperty('topologySpreadConstraints', [
        over('topology.kubernetes.io/zone'),
        over('kubernetes.io/hostname'),
      ]),
    );
  });

  it('has a disk for each folder in its settings, and no other', () => {
    checkEach(deployments, (one) => {
      const folders = Object.entries(environmentOf(one.overlay, one))
        .filter(([variable]) => /_FOLDER$|^IMAGE_STORE_URL$/.test(variable))
        .flatMap(([, value]) => /^(?:file:\/\/)?(\/.+)$/.exec(value)?.[1] ?? []);
      const mounts = (one.container.volumeMounts ?? []).filter(({ readOnly }) => readOnly !== true);
      for (const folder of folders)
        expect(mounts.some(({ mountPath }) => folder.startsWith(`${mountPath}/`))).toBe(true);
      // Besides /tmp.
      expect(mounts.length - 1).toBe(folders.length);
    });
  });
});

describe('probes', () => {
  it('use paths that every service answers', async () => {
    await using server = await startHttpServer({
      host: '127.0.0.1',
      port: 0,
      logger: silentLogger,
      metrics: createMetrics('offers'),
      clock: systemClock,
      readiness: async () => [],
      routes: () => {},
      admin: { port: 0, routes: () => {} },
    });
    const paths = deployments.flatMap(([, { container }]) =>
      [container.startupProbe, container.livenessProbe, container.readinessProbe].map(
        (probe) => probe?.httpGet?.path,
      ),
    );
    expect([...new Set(paths)]).toEqual(['/livez', '/readyz']);
    for (const path of new Set(paths)) expect((await fetch(`${server.url}${path}`)).status).toBe(200);
    expect((await fetch(`${server.adminUrl}/metrics`)).status).toBe(200);
  });
});

describe('moderation', () => {
  it.each(overlays.filter((overlay) => overlay !== 'dev'))(
    'has a processor for each picture that it judges at once, in %s',
    (overlay) => {
      const { PICTURES_AT_ONCE } = environmentOf(overlay, workload(overlay, 'moderation'));
      expect(PICTURES_AT_ONCE).toBe(
        workload(overlay, 'moderation').pod.containers[0]?.resources.requests.cpu,
      );
    },
  );
});
