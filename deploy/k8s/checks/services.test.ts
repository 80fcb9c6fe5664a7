/** The Deployments of the six services: ports, probes, folders and times are those of the code. */
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
import { type Container, environmentOf, workload } from './workloads.ts';

const repository = fileURLToPath(new URL('../../..', import.meta.url));
const services = overlays.flatMap((overlay) => serviceNames.map((name) => [overlay, name] as const));

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
    const code = readFileSync(join(repository, 'packages/platform/src/process/process.ts'), 'utf8');
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

  it('is spread over zones and over machines, each release for itself', () => {
    const { topologySpreadConstraints } = pod as { topologySpreadConstraints?: readonly object[] };
    const over = (topologyKey: string) =>
      expect.objectContaining({
        topologyKey,
        maxSkew: 1,
        labelSelector: { matchLabels: { 'app.kubernetes.io/component': 'service' } },
        matchLabelKeys: ['app.kubernetes.io/name', 'pod-template-hash'],
      });
    expect(topologySpreadConstraints).toEqual([
      over('topology.kubernetes.io/zone'),
      over('kubernetes.io/hostname'),
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

describe('moderation', () => {
  it.each(overlays.filter((overlay) => overlay !== 'dev'))(
    'has in %s a processor for each thread of the model',
    (overlay) => {
      const { PICTURES_AT_ONCE } = environmentOf(overlay, workload(overlay, 'moderation'));
      expect(PICTURES_AT_ONCE).toBe(
        workload(overlay, 'moderation').pod.containers[0]?.resources.requests.cpu,
      );
    },
  );
});
