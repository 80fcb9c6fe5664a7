/** The NetworkPolicies allow exactly the calls that are made. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { serviceNames } from '@offer-ads/contracts/values/primitives';
import type { Manifest } from '../render/patch.ts';
import { allowed, called, matches, type Policy, policiesOf } from './network-policies.ts';
import { manifestsOf, overlays, wholeOf } from './overlays.ts';
import { workloadsOf } from './workloads.ts';

type Ingress = Manifest & {
  spec: { rules: { http: { paths: { backend: { service: { name: string } } }[] } }[] };
};

/** Every pod calls DNS, and no setting names it. */
const isDns = (arrow: string) => arrow.includes('namespace kube-system:53');
/** The mail server has one of two ports, telemetry may be off, and the store of pictures may be a folder. */
const isChoice = (overlay: string, arrow: string) =>
  arrow === 'notifier -> internet:587' ||
  (overlay === 'dev' && /-> (internet|namespace observability):/.test(arrow));

describe.each(overlays)('in the overlay %s', (overlay) => {
  it('callers may make exactly their calls', () => {
    const arrows = allowed(overlay, 'egress').filter((arrow) => !isDns(arrow) && !isChoice(overlay, arrow));
    expect(arrows).toEqual(called(overlay).filter((arrow) => !isChoice(overlay, arrow)));
  });

  it('the called allow exactly these calls', () => {
    const inside = (arrow: string) => !/namespace|internet/.test(arrow);
    expect(allowed(overlay, 'ingress').filter(inside)).toEqual(allowed(overlay, 'egress').filter(inside));
  });

  it('only the ingress controller, Prometheus and the community platform may call from other namespaces', () => {
    const ingresses = wholeOf(overlay).filter(({ kind }) => kind === 'Ingress') as Ingress[];
    const doors = ingresses.flatMap(({ spec }) =>
      spec.rules.flatMap(({ http }) => http.paths.map(({ backend }) => backend.service.name)),
    );
    // Dev has no Ingress, but the same policies.
    const behind = overlay === 'dev' ? ['gateway', 'billing', 'offers'] : doors;
    const expected = [
      ...new Set(behind.map((name) => `namespace ingress-nginx -> ${name}:8080`)),
      ...serviceNames.map((name) => `namespace monitoring -> ${name}:9080`),
      'namespace offer-ads/community-platform -> rabbitmq:5672',
    ];
    const arrows = allowed(overlay, 'ingress').filter((arrow) => arrow.startsWith('namespace'));
    expect(arrows).toEqual(expected.toSorted());
  });

  it('what no policy allows is forbidden', () => {
    const denying = policiesOf(overlay).find(({ metadata }) => metadata.name === 'default-deny');
    expect(denying?.spec).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
    for (const { metadata, spec } of policiesOf(overlay))
      for (const type of ['ingress', 'egress'] as const)
        if (spec[type] !== undefined)
          expect([metadata.name, spec.policyTypes]).toEqual([
            metadata.name,
            expect.arrayContaining([type === 'ingress' ? 'Ingress' : 'Egress']),
          ]);
  });
});

describe('the stores of production', () => {
  it('allow migrations before the services exist', () => {
    const stores = manifestsOf('overlays/production/stores').filter(
      ({ kind }) => kind === 'NetworkPolicy',
    ) as Policy[];
    const migrations = workloadsOf('production').filter(({ kind }) => kind === 'Job');
    const doors = stores.flatMap(({ spec }) => spec.ingress ?? []).flatMap(({ from = [] }) => from);
    expect(migrations.length).toBeGreaterThan(0);
    for (const { name, labels } of migrations)
      expect([name, doors.some(({ podSelector }) => podSelector && matches(podSelector, labels))]).toEqual([
        name,
        true,
      ]);
  });

  it('have the addresses that KEDA calls', () => {
    const namespace = manifestsOf('overlays/production/stores').find(({ kind }) => kind === 'Namespace');
    const text = JSON.stringify(
      manifestsOf('overlays/production').filter(({ kind }) => kind === 'ScaledObject'),
    );
    const hosts = [...text.matchAll(/"host":"([^"]+)"/g)].map(([, host]) => host);
    expect(new Set(hosts)).toEqual(new Set([`http://rabbitmq.${namespace?.metadata.name}.svc:15672`]));
  });

  it('have the metrics that KEDA reads from Prometheus', () => {
    const [production] = manifestsOf('overlays/production').flatMap(
      ({ metadata }) => metadata.namespace ?? [],
    );
    const scaled = manifestsOf('overlays/production').filter(({ kind }) => kind === 'ScaledObject');
    const queries = [...JSON.stringify(scaled).matchAll(/"query":"((?:\\.|[^"])+)"/g)].map(
      ([, query]) => query,
    );
    const metrics = readFileSync(new URL('../../docs/operations/metrics.md', import.meta.url), 'utf8');
    expect(queries).toHaveLength(1);
    for (const query of queries) {
      const [, name, namespace] =
        /(\w+?)(?:_sum|_count)?\{namespace=\\"([^"\\]+)\\"\}/.exec(query ?? '') ?? [];
      expect(namespace).toBe(production);
      expect(metrics).toContain(`\`${name}\``);
    }
  });

  it('have the queues whose lengths KEDA reads', () => {
    const queues = manifestsOf('overlays/production/stores').filter(({ kind }) => kind === 'Queue');
    const scaled = manifestsOf('overlays/production').filter(({ kind }) => kind === 'ScaledObject');
    for (const { metadata, spec } of scaled) {
      const { scaleTargetRef, triggers } = spec as {
        scaleTargetRef: { name: string };
        triggers: { metadata: { queueName?: string } }[];
      };
      expect(scaleTargetRef.name).toBe(metadata.name);
      const looked = triggers.flatMap(({ metadata: { queueName } }) => queueName ?? []);
      // Each consumer is scaled by its own queues.
      const own = queues.map(({ spec: queue }) => (queue as { name: string }).name);
      expect(looked.toSorted()).toEqual(
        own.filter((name) => name === metadata.name || name === `${metadata.name}.bulk`).toSorted(),
      );
    }
  });
});
