/** Production with the Gateway API instead of Ingresses opens the same hosts and paths, and nothing more. */
import { describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import type { Manifest } from '../render/patch.ts';
import { faultsOf } from '../render/schemas.ts';
import { copyManifests, manifestsOf } from './overlays.ts';

type Match = { readonly path: { readonly type: 'Exact' | 'PathPrefix'; readonly value: string } };
type Route = Manifest & {
  readonly spec: {
    readonly parentRefs: readonly { readonly name: string; readonly sectionName: string }[];
    readonly hostnames?: readonly string[];
    readonly rules: readonly {
      readonly matches?: readonly Match[];
      readonly backendRefs?: readonly { readonly name: string; readonly port: number }[];
    }[];
  };
};
type Gateway = {
  readonly listeners: readonly {
    readonly name: string;
    readonly hostname?: string;
    readonly tls?: { readonly certificateRefs: readonly { readonly name: string }[] };
  }[];
};
type Ingress = {
  readonly tls: readonly { readonly hosts: readonly string[]; readonly secretName: string }[];
  readonly rules: readonly {
    readonly host: string;
    readonly http: {
      readonly paths: readonly {
        readonly path: string;
        readonly pathType: string;
        readonly backend: { readonly service: { readonly name: string } };
      }[];
    };
  }[];
};

type Overlay = { components: string[]; patches: { target: { kind: string } }[] };
const before = manifestsOf('overlays/production');
const hostOf = (ingress: string) =>
  (before.find(({ kind, metadata }) => kind === 'Ingress' && metadata.name === ingress)!.spec as Ingress)
    .rules[0]?.host;
const replace = (kind: string, name: string, path: string, value: unknown) => ({
  target: { kind, name },
  patch: stringify([{ op: 'replace', path, value }]),
});
/** An installation has hosts of its own in the overlay. */
const hosts = [
  replace('HTTPRoute', 'to-https', '/spec/hostnames', ['billing', 'offers'].map(hostOf)),
  ...['gateway', 'billing', 'offers'].flatMap((name, index) => [
    replace('HTTPRoute', name, '/spec/hostnames/0', hostOf(name)),
    replace('Gateway', 'doors', `/spec/listeners/${index + 1}/hostname`, hostOf(name)),
  ]),
];
using copy = copyManifests();
copy.change<Overlay>('overlays/production', (overlay) => ({
  ...overlay,
  components: overlay.components.map((path) => path.replace(/ingress$/, 'gateway-api')),
  patches: [...overlay.patches.filter(({ target }) => target.kind !== 'Ingress'), ...hosts],
}));
const after = copy.render('overlays/production');
const key = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name}`;
const known = new Set(before.map(key));
const added = after.filter((one) => !known.has(key(one)));
const routes = after.filter(({ kind }) => kind === 'HTTPRoute') as Route[];
const doors = routes.filter(({ metadata }) => metadata.name !== 'to-https');
const gateway = after.find(({ kind }) => kind === 'Gateway')?.spec as Gateway;
const ingresses = before.filter(({ kind }) => kind === 'Ingress').map(({ spec }) => spec as Ingress);

describe('production with the Gateway API', () => {
  it('has a Gateway and routes instead of Ingresses, and nothing else changes', () => {
    expect(added.map(key).toSorted()).toEqual([
      'Gateway doors',
      'HTTPRoute billing',
      'HTTPRoute gateway',
      'HTTPRoute offers',
      'HTTPRoute to-https',
      'NetworkPolicy certificates-from-gateway-api',
      'NetworkPolicy from-gateway-api',
    ]);
    expect(after.filter((one) => !added.includes(one))).toEqual(
      before.filter(({ kind }) => kind !== 'Ingress'),
    );
  });

  it('has only objects that a cluster knows', () => {
    expect(added.flatMap((manifest) => faultsOf(manifest))).toEqual([]);
  });

  it('opens the same paths of the same hosts to the same services', () => {
    const types = { Exact: 'Exact', Prefix: 'PathPrefix', ImplementationSpecific: 'Exact' } as const;
    const byIngress = ingresses.flatMap(({ rules }) =>
      rules.flatMap(({ host, http }) =>
        http.paths.map(
          ({ path, pathType, backend }) =>
            `${host} ${types[pathType as keyof typeof types]} ${path} ${backend.service.name}`,
        ),
      ),
    );
    const byRoute = doors.flatMap(({ spec }) =>
      spec.rules.flatMap(({ matches = [], backendRefs = [] }) =>
        matches.flatMap(({ path }) =>
          (spec.hostnames ?? []).flatMap((host) =>
            backendRefs.map(({ name }) => `${host} ${path.type} ${path.value} ${name}`),
          ),
        ),
      ),
    );
    expect(byRoute.length).toBeGreaterThan(10);
    expect(byRoute.toSorted()).toEqual(byIngress.toSorted());
  });

  it('lets the service itself refuse keys that were sent in clear, as the Ingress does', () => {
    const overHttp = doors.filter(({ spec }) =>
      spec.parentRefs.some(({ sectionName }) => sectionName === 'http'),
    );
    expect(overHttp.map(({ metadata }) => metadata.name)).toEqual(['gateway']);
    const notRedirected = before.filter(
      ({ metadata: { annotations = {} } }) =>
        (annotations as Record<string, string>)['nginx.ingress.kubernetes.io/ssl-redirect'] === 'false',
    );
    expect(notRedirected.map(key)).toEqual(['Ingress gateway']);
  });

  it('routes to ports that the services have', () => {
    for (const { name, port } of doors.flatMap(({ spec }) =>
      spec.rules.flatMap(({ backendRefs = [] }) => backendRefs),
    )) {
      const service = after.find((one) => key(one) === `Service ${name}`)?.spec as {
        ports: { port: number }[];
      };
      expect(service.ports.map((open) => open.port)).toContain(port);
    }
  });

  it('serves each host by TLS with the certificate of the Ingress, and redirects http to it where no keys are sent', () => {
    const byIngress = ingresses.flatMap(({ tls }) =>
      tls.map(({ hosts, secretName }) => `${hosts.join()} ${secretName}`),
    );
    const listeners = gateway.listeners.filter(({ tls }) => tls !== undefined);
    expect(
      listeners
        .map(({ hostname, tls }) => `${hostname} ${tls?.certificateRefs.map(({ name }) => name).join()}`)
        .toSorted(),
    ).toEqual(byIngress.toSorted());
    for (const { spec } of doors)
      for (const { sectionName } of spec.parentRefs)
        if (sectionName !== 'http')
          expect([listeners.find(({ name }) => name === sectionName)?.hostname]).toEqual(spec.hostnames);
    const toHttps = routes.find(({ metadata }) => metadata.name === 'to-https');
    expect(toHttps?.spec.parentRefs.map(({ sectionName }) => sectionName)).toEqual(['http']);
    expect(toHttps?.spec.hostnames).toEqual([hostOf('billing'), hostOf('offers')]);
    expect(toHttps?.spec.rules.flatMap(({ backendRefs = [] }) => backendRefs)).toEqual([]);
  });
});
