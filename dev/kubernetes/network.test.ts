/** Every arrow of the NetworkPolicies is a call that somebody makes, and every call has its arrow. */
import { describe, expect, it } from '@jest/globals';
import { serviceNames } from '@offer-ads/contracts/primitives';
import { allowed, called, policiesOf } from './arrows.ts';
import { overlays, wholeOf } from './overlays.ts';
import type { Manifest } from './render.ts';

type Ingress = Manifest & {
  spec: { rules: { http: { paths: { backend: { service: { name: string } } }[] } }[] };
};

/** Of all pods, and of nobody's settings. */
const isDns = (arrow: string) => arrow.includes('namespace kube-system:53');
/** The mail server is reached by one of two ports, telemetry may be switched off, and S3 may be a folder. */
const isChoice = (overlay: string, arrow: string) =>
  arrow === 'notifier -> internet:587' ||
  (overlay === 'dev' && /-> (internet|namespace observability):/.test(arrow));

describe.each(overlays)('in the overlay %s', (overlay) => {
  it('whoever calls somebody may, and nobody else', () => {
    const arrows = allowed(overlay, 'egress').filter((arrow) => !isDns(arrow) && !isChoice(overlay, arrow));
    expect(arrows).toEqual(called(overlay).filter((arrow) => !isChoice(overlay, arrow)));
  });

  it('whoever may call somebody is let in there, and nobody else', () => {
    const inside = (arrow: string) => !/namespace|internet/.test(arrow);
    expect(allowed(overlay, 'ingress').filter(inside)).toEqual(allowed(overlay, 'egress').filter(inside));
  });

  it('from outside come the ingress controller where there is an Ingress, Prometheus, and the community platform', () => {
    const ingresses = wholeOf(overlay).filter(({ kind }) => kind === 'Ingress') as Ingress[];
    const doors = ingresses.flatMap(({ spec }) =>
      spec.rules.flatMap(({ http }) => http.paths.map(({ backend }) => backend.service.name)),
    );
    // Without an Ingress the doors lead nowhere.
    const behind = overlay === 'dev' ? ['gateway', 'billing', 'offers'] : doors;
    const expected = [
      ...new Set(behind.map((name) => `namespace ingress-nginx -> ${name}:8080`)),
      ...serviceNames.map((name) => `namespace monitoring -> ${name}:8080`),
      'namespace offer-ads/community-platform -> rabbitmq:5672',
    ];
    const arrows = allowed(overlay, 'ingress').filter((arrow) => arrow.startsWith('namespace'));
    expect(arrows).toEqual(expected.toSorted());
  });

  it('what no arrow names is forbidden', () => {
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
