import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import document from '@offer-ads/contracts/generated/portal-openapi.json' with { type: 'json' };
import { endpoints, placementEndpoints, webhookEndpoints } from '../src/public-api/endpoints.ts';
import { type GatewayUnderTest, startGatewayUnderTest } from './gateway-under-test.ts';

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGatewayUnderTest();
});
afterAll(async () => gateway[Symbol.asyncDispose]());

describe.each(['/openapi.json', '/portal/openapi.json', '/community/openapi.json'])('%s', (path) => {
  it('is sent compressed to whoever takes that, and is the same in each form', async () => {
    const plain = await gateway.call(path, { headers: { 'accept-encoding': 'identity' } });
    for (const encoding of ['br', 'gzip']) {
      const { status, body, headers } = await gateway.call(path, {
        headers: { 'accept-encoding': encoding },
      });
      expect([status, headers.get('content-encoding'), headers.get('vary')]).toEqual([
        200,
        encoding,
        'Accept-Encoding',
      ]);
      expect(Number(headers.get('content-length'))).toBeLessThan(
        Number(plain.headers.get('content-length')) / 3,
      );
      expect(body).toEqual(plain.body);
    }
  });

  it('is asked for again, and not sent again while it is the same', async () => {
    for (const encoding of ['br', 'gzip', 'identity']) {
      const { headers } = await gateway.call(path, { headers: { 'accept-encoding': encoding } });
      expect(headers.get('cache-control')).toBe('no-cache');
      const etag = headers.get('etag') ?? '';
      const again = await gateway.call(path, {
        headers: { 'accept-encoding': encoding, 'if-none-match': etag, 'cache-control': 'max-age=0' },
      });
      expect([again.status, again.body, again.headers.get('etag')]).toEqual([304, '', etag]);
    }
  });
});

describe.each([
  ['/openapi.json', [...endpoints, ...webhookEndpoints]],
  ['/community/openapi.json', placementEndpoints],
])('%s', (document, endpoints) => {
  it('describes exactly the endpoints that the gateway serves, at its public address', async () => {
    const { body } = await gateway.call(document);
    const { paths, servers } = body as { paths: Record<string, object>; servers: unknown };
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    const served = endpoints.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
    expect(described.toSorted()).toEqual(served.toSorted());
    expect(servers).toEqual([{ url: 'https://ads.example.test' }]);
  });
});

describe('/portal/openapi.json', () => {
  it('describes the portal API where it is served, and is what the page of its reference shows', async () => {
    const { status, body, headers } = await gateway.call('/portal/openapi.json');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    const { openapi, paths, servers } = body as { openapi: string; paths: object; servers: unknown };
    expect(openapi).toMatch(/^3\./);
    expect(servers).toEqual([{ url: 'https://ads.example.test/portal/api' }]);
    expect(Object.keys(paths)).toEqual(Object.keys(document.paths));
    const page = (await gateway.call('/portal/docs')).body;
    expect(page).toContain('data-description="/portal/openapi.json"');
  });
});

describe.each([
  '/docs',
  '/docs/community',
  '/docs/community/placements',
  '/docs/errors',
  '/docs/reference',
  '/',
  '/portal/docs',
  '/portal',
  '/portal/sign-in',
])('%s', (path) => {
  it('loads everything from here and nothing from elsewhere', async () => {
    const { status, body, headers } = await gateway.call(path);
    expect(status).toBe(200);
    const addresses = [...(body as string).matchAll(/(?:src|href)="([^"#]+)"/g)].map(
      (match) => match[1] ?? '',
    );
    expect(addresses.length).toBeGreaterThan(0);
    for (const address of addresses) {
      expect(address).toMatch(/^\//);
      expect([address, (await gateway.call(address)).status]).toEqual([address, 200]);
    }
    expect(headers.get('content-security-policy')).toMatch(
      /default-src '(self|none)'.*frame-ancestors 'none'/,
    );
  });

  it('runs no script that is written into it, and is framed nowhere', async () => {
    const { body, headers } = await gateway.call(path);
    expect(body).not.toMatch(/<script(?![^>]* src=)/);
    expect(headers.get('content-security-policy')).not.toMatch(/script-src[^;]*(unsafe|nonce)/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });

  it('can be read on a phone', async () => {
    expect((await gateway.call(path)).body).toContain('name="viewport"');
  });
});

describe('/', () => {
  it('is a page that leads to the portal, the guides and the status', async () => {
    const { status, body, headers } = await gateway.call('/', { headers: { accept: 'text/html,*/*' } });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const links = [...(body as string).matchAll(/href="([^"]+)"/g)].map(([, link]) => link ?? '');
    expect(links).toEqual(expect.arrayContaining(['/portal', '/docs', '/docs/community', '/status']));
    expect((await gateway.call('/', { method: 'HEAD' })).status).toBe(200);
  });

  it('is no page for programs', async () => {
    const { status, body } = await gateway.call('/', { headers: { accept: 'application/json' } });
    expect([status, body]).toEqual([404, { message: 'Not found' }]);
  });
});

describe.each(['/portal', '/portal/sign-in'])('%s', (path) => {
  it('is kept by no cache, since it shows who is signed in', async () => {
    const { headers } = await gateway.call(path);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('runs only our own scripts, and texts never become markup', async () => {
    const policy = (await gateway.call(path)).headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toMatch(/unsafe|https?:|data:/);
  });
});

describe('the portal', () => {
  const assetsOf = async () => {
    const page = (await gateway.call('/portal')).body as string;
    return [...page.matchAll(/"(\/portal\/assets\/[^"]+)"/g)].map(([, address]) => address ?? '');
  };

  it.each(['/portal/test', '/portal/live/offers/7', '/portal/live/keys/', '/portal/sign-up'])(
    'shows its one page at %s',
    async (path) => {
      const { status, body } = await gateway.call(path);
      expect([status, body]).toEqual([200, (await gateway.call('/portal')).body]);
    },
  );

  it('lets browsers ask for the session together with the scripts, on pages that need it', async () => {
    const asked = async (path: string) => {
      const link = (await gateway.call(path)).headers.get('link');
      return link === null ? null : /^<([^>]+)>; rel=preload; as=fetch/.exec(link)?.[1];
    };
    for (const path of ['/portal', '/portal/test/offers/new'])
      expect([path, await asked(path)]).toEqual([path, '/portal/api/session']);
    for (const path of ['/portal/sign-in', '/portal/sign-up'])
      expect([path, await asked(path)]).toEqual([path, null]);
  });

  it.each([
    '/portal/nonsense',
    '/portal/index.html',
    '/portal/assets/index.js',
    '/portal/assets/../index.html',
    '/portal/%2e%2e/%2e%2e/package.json',
  ])('has nothing at %s', async (path) => {
    expect((await gateway.call(path)).status).toBe(404);
  });

  it('loads files that caches may keep for ever, since their names change with them', async () => {
    const addresses = await assetsOf();
    const styles = addresses.filter((address) => address.endsWith('.css'));
    const fonts = (await Promise.all(styles.map((style) => gateway.call(style)))).flatMap(({ body }) =>
      [...String(body).matchAll(/url\((\/portal\/assets\/[^)]+\.woff2)\)/g)].map(([, address]) => address!),
    );
    expect(new Set(addresses.map((address) => address.split('.').at(-1)))).toEqual(new Set(['css', 'js']));
    expect(fonts).not.toEqual([]);
    for (const address of [...addresses, ...fonts]) {
      const { headers } = await gateway.call(address);
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  it('sends scripts and styles compressed to clients that accept it', async () => {
    for (const address of await assetsOf()) {
      const { headers } = await gateway.call(address, { headers: { 'accept-encoding': 'br' } });
      expect([headers.get('content-encoding'), headers.get('vary')]).toEqual(['br', 'Accept-Encoding']);
    }
  });
});

describe.each(['/docs/reference', '/portal/docs'])('%s', (path) => {
  it('runs only its own scripts, none of them out of a text, and markup becomes of texts in Vue alone', async () => {
    const policy = (await gateway.call(path)).headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self';");
    expect(policy).toContain("require-trusted-types-for 'script'; trusted-types vue default;");
    expect(policy.replace("style-src 'self' 'unsafe-inline'", '')).not.toMatch(/unsafe|https?:|blob:|\*/);
  });

  it('loads scripts and styles compressed, which caches may keep for ever', async () => {
    const { body } = await gateway.call(path);
    const addresses = [...(body as string).matchAll(/"(\/docs\/assets\/[^"]+\.(?:js|css))"/g)].map(
      ([, address]) => address ?? '',
    );
    expect(addresses.some((address) => address.includes('/reference-'))).toBe(true);
    for (const address of addresses) {
      const { headers } = await gateway.call(address, { headers: { 'accept-encoding': 'br' } });
      expect([address, headers.get('content-encoding'), headers.get('cache-control')]).toEqual([
        address,
        'br',
        'public, max-age=31536000, immutable',
      ]);
    }
  });
});

describe('the guides', () => {
  const read = async (path: string, init: { method?: string; headers?: Record<string, string> } = {}) =>
    gateway.call(path, init);

  it('run nothing but their own script, and texts never become markup', async () => {
    const policy = (await read('/docs/quick-start')).headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toMatch(/unsafe|https?:|data:/);
  });

  it('are asked for again, and not sent again while they are the same', async () => {
    const { headers } = await read('/docs/limits');
    expect(headers.get('cache-control')).toMatch(/max-age=0|no-cache/);
    const again = await read('/docs/limits', {
      headers: { 'if-none-match': headers.get('etag') ?? '', 'cache-control': 'max-age=0' },
    });
    expect(again.status).toBe(304);
  });

  it('are sent compressed to whoever takes that', async () => {
    const { headers } = await read('/docs/errors', { headers: { 'accept-encoding': 'br' } });
    expect([headers.get('content-encoding'), headers.get('vary')]).toEqual(['br', 'Accept-Encoding']);
  });

  it('load scripts and styles that caches may keep for ever, since their names change with them', async () => {
    const { body } = await read('/docs');
    const addresses = [...(body as string).matchAll(/"(\/docs\/assets\/[^"]+)"/g)].map(
      ([, address]) => address ?? '',
    );
    expect(addresses.length).toBeGreaterThan(3);
    for (const address of addresses) {
      const { status, headers } = await read(address);
      expect([address, status, headers.get('cache-control')]).toEqual([
        address,
        200,
        'public, max-age=31536000, immutable',
      ]);
    }
  });

  it('offer the test pictures byte for byte', async () => {
    for (const name of ['always-allowed.png', 'always-refused.jpg']) {
      const response = await fetch(`${gateway.url}/docs/test-pictures/${name}`);
      const published = readFileSync(new URL(`../../../docs/test-pictures/${name}`, import.meta.url));
      expect(Buffer.from(await response.arrayBuffer()).equals(published)).toBe(true);
    }
  });

  it.each([
    '/docs/nothing',
    '/docs/errors.html',
    '/docs/portal-reference',
    '/docs/assets/nothing.js',
    '/docs/a/b',
    '/docs/community/nothing',
    '/docs/community/reference',
  ])('help whoever comes to %s, where nothing is', async (path) => {
    const { status, body, headers } = await read(path);
    expect([status, headers.get('cache-control')]).toEqual([404, 'no-store']);
    expect(body).toContain('There is no such page');
    expect(body).toContain('href="/docs/quick-start"');
  });

  it('are only read', async () => {
    expect((await read('/docs/limits', { method: 'POST' })).status).toBe(404);
  });
});
