/** The portal's OpenAPI document has every route and no other. Replies are compared with it in all tests of the portal. */
import { describe, expect, it } from '@jest/globals';
import type { Router } from 'express';
import { type PortalRoutes, portalRoutes } from '../../src/http/portal/portal-routes.ts';
import { describedRoutes, undescribedIn } from './description.ts';

type Layer = {
  readonly route?: { readonly path: string; readonly stack: readonly { readonly method: string }[] };
  readonly handle: Partial<Router>;
  readonly match: (path: string) => boolean;
};

/** Express does not keep the path of a mounted router, so all possible paths are tried. */
const prefixes = ['', '/test', '/live'];

function mountedRoutes(router: Partial<Router>, prefix = ''): string[] {
  return (router.stack as unknown as Layer[]).flatMap((layer) => {
    if (layer.route !== undefined) {
      const path = `${prefix}${layer.route.path.replace(/:(\w+)/g, '{$1}')}`;
      return Array.from(new Set(layer.route.stack.map(({ method }) => `${method} ${path}`)));
    }
    if (layer.handle.stack === undefined) return [];
    const mountedAt = prefixes.filter((place) => layer.match(`${place}/x`));
    // The root matches everything.
    const place = mountedAt.length === prefixes.length ? '' : mountedAt[0];
    if (place === undefined) throw new Error('a router is mounted where this test does not look');
    return mountedRoutes(layer.handle, `${prefix}${place}`);
  });
}

describe("the portal's OpenAPI document", () => {
  it('describes every mounted route, and no other', () => {
    // No route is called, so they need no dependencies but what is asked for a handler.
    const o = { publicUrl: 'https://ads.example.test', audit: { recordBy: () => () => {} } } as const;
    const mounted = mountedRoutes(portalRoutes(o as unknown as PortalRoutes));
    expect(mounted.length).toBeGreaterThan(20);
    expect(mounted.toSorted()).toEqual(describedRoutes().toSorted());
  });
});

describe('the comparison of replies with the document', () => {
  const check = (path: string, status: number, body: unknown) =>
    undescribedIn('GET', `/portal/api${path}`, { status, body, headers: new Headers() });

  it.each([
    ['a status that is not described', '/people', 418, {}],
    ['a field that is missing', '/people', 200, { people: [{ id: 1 }] }],
    ['a field of another type', '/sessions?x=y', 200, { sessions: 'none' }],
    ['a refusal without words', '/session', 401, { message: 17 }],
  ])('finds %s', (_case, path, status, body) => {
    expect(check(path, status, body)).not.toEqual([]);
  });

  it('accepts what is described', () => {
    expect(check('/people', 200, { people: [] })).toEqual([]);
    expect(check('/test/offers', 401, { message: 'Sign in first' })).toEqual([]);
  });
});
