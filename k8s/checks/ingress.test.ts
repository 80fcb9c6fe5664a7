/** The paths that are public through the Ingresses: exactly those that should be. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { endpoints, webhookEndpoints } from '../../services/gateway/src/public-api/endpoints.ts';
import type { Manifest } from '../render/patch.ts';
import { manifestsOf } from './overlays.ts';
import { environmentOf, workload } from './workloads.ts';

type Path = {
  readonly path: string;
  readonly pathType: 'Exact' | 'Prefix' | 'ImplementationSpecific';
  readonly backend: { readonly service: { readonly name: string } };
};
type Ingress = Manifest & {
  readonly spec: {
    readonly tls: readonly { readonly hosts: readonly string[] }[];
    readonly rules: readonly { readonly host: string; readonly http: { readonly paths: readonly Path[] } }[];
  };
};

const services = fileURLToPath(new URL('../../services', import.meta.url));
const ingressesOf = (overlay: 'staging' | 'production') =>
  manifestsOf(`overlays/${overlay}`).filter(({ kind }) => kind === 'Ingress') as Ingress[];
const paths = ingressesOf('production').flatMap(({ spec }) => spec.rules.flatMap(({ http }) => http.paths));

/**
 * As Kubernetes defines it: a prefix matches whole path elements, and an exact path goes before a prefix. A path type that the controller
 * defines may match any prefix.
 */
function reached(path: string): string[] {
  const exact = paths.filter(({ path: of, pathType }) => pathType === 'Exact' && path === of);
  const found =
    exact.length > 0
      ? exact
      : paths.filter(({ path: of, pathType }) => {
          if (pathType === 'Exact') return false;
          if (pathType === 'ImplementationSpecific') return path.startsWith(of);
          return `${path}/`.startsWith(of.replace(/\/*$/, '/'));
        });
  return [...new Set(found.map(({ backend }) => backend.service.name))];
}

describe('an Ingress serves', () => {
  it.each([...endpoints, ...webhookEndpoints].map(({ path }) => path))('%s of the public API', (path) => {
    expect(reached(path)).toEqual(['gateway']);
  });

  it.each([
    '/',
    '/portal',
    '/portal/sign-in',
    '/portal/api/session',
    '/portal/unsubscribe/token',
    '/portal/openapi.json',
    '/portal/docs',
    '/docs',
    '/docs/errors',
    '/contact',
    '/docs/reference/offers',
    '/assets/portal.js',
    '/downloads',
    '/downloads/offer-ads-sdk-1.0.0.tgz',
    '/openapi.json',
    '/arazzo.json',
    '/llms.txt',
    '/.well-known/api-catalog',
    '/status',
    '/status.json',
  ])('%s of the gateway', (path) => {
    expect(reached(path)).toEqual(['gateway']);
  });

  it.each(['/pay/token', '/pay/token/thanks', '/pay/token/cancelled', '/webhooks/stripe'])(
    '%s of billing',
    (path) => {
      expect(reached(path)).toEqual(['billing']);
    },
  );

  it.each(['/images/name.jpg', '/c/token'])('%s of offers', (path) => {
    expect(reached(path)).toEqual(['offers']);
  });
});

describe('no Ingress serves', () => {
  it.each([
    '/admin',
    '/admin/parked',
    '/admin/organisations',
    '/admin/balances/top-up',
    '/admin/catalogue',
    '/internal/charges',
    '/internal/price',
    '/internal/verdicts',
    '/metrics',
    '/livez',
    '/readyz',
    '/webhook',
    '/webhooksx',
    '/portals',
  ])('%s', (path) => {
    expect(reached(path)).toEqual([]);
  });
});

describe.each(['staging', 'production'] as const)('the Ingresses of %s', (overlay) => {
  it.each(ingressesOf(overlay).map((ingress) => [ingress.metadata.name, ingress] as const))(
    'of %s have the host of its PUBLIC_URL, with TLS',
    (name, { spec }) => {
      const environment = environmentOf(overlay, workload(overlay, name));
      const hosts = spec.rules.map(({ host }) => host);
      expect(hosts).toEqual([new URL(environment.PUBLIC_URL ?? '').host]);
      expect(spec.tls.flatMap(({ hosts }) => hosts)).toEqual(hosts);
    },
  );

  it('are one for each service with a PUBLIC_URL', () => {
    expect(
      ingressesOf(overlay)
        .map(({ metadata }) => metadata.name)
        .toSorted(),
    ).toEqual(['billing', 'gateway', 'offers']);
  });

  it('serve the pages that mails link to', () => {
    const { PORTAL_URL } = environmentOf(overlay, workload(overlay, 'notifier'));
    const { PUBLIC_URL } = environmentOf(overlay, workload(overlay, 'gateway'));
    expect(PORTAL_URL).toBe(`${PUBLIC_URL}/portal`);
  });
});

describe('every path of an Ingress', () => {
  it('is valid for ingress-nginx', () => {
    const strict = paths
      .filter(({ pathType }) => pathType !== 'ImplementationSpecific')
      .map(({ path }) => path);
    expect(strict.filter((path) => !/^\/[\w/-]*$/.test(path))).toEqual([]);
  });

  it.each(paths.map(({ path, backend }) => [path, backend.service.name] as const))(
    '%s is served by %s',
    (path, service) => {
      const folder = join(services, service, 'src');
      const code = readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts'))
        .map((file) => readFileSync(join(folder, file), 'utf8'))
        .join('\n');
      expect(code).toMatch(new RegExp(`[' ]${path.replaceAll('.', '\\.')}[/']`));
    },
  );
});
