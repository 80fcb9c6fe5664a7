import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import document from '@offer-ads/contracts/generated/portal-openapi.json' with { type: 'json' };
import { buildDownloads, type Downloads } from '../../../web/downloads/build.ts';
import { endpoints, placementEndpoints, webhookEndpoints } from '../src/public-api/endpoints.ts';
import { type GatewayUnderTest, startGatewayUnderTest } from './gateway-under-test.ts';

let gateway: GatewayUnderTest;
beforeAll(async () => {
  await buildDownloads({ report: () => {} });
  const settings = { SUPPORT_EMAIL: 'help@ads.example', IMPRINT_URL: 'https://ads.example/imprint?a=1&b=2' };
  gateway = await startGatewayUnderTest({ settings });
});
afterAll(async () => gateway[Symbol.asyncDispose]());

type Init = { method?: string; headers?: Record<string, string> };
const read = (path: string, init: Init = {}) => gateway.call(path, init);
const policyAt = async (path: string) => (await read(path)).headers.get('content-security-policy') ?? '';
/** Addresses in the page, such as those of scripts, styles and links. */
const addressesIn = async (path: string, pattern = /(?:src|href)="([^"#]+)"/g) =>
  [...((await read(path)).body as string).matchAll(pattern)].map(([, address]) => address ?? '');
const assetsOf = (path: string) => addressesIn(path, /"(\/(?:portal|docs)\/assets\/[^"]+)"/g);

/** What has not changed is asked for again, and not sent again. */
async function expectAskedForAgain(path: string, encoding: string): Promise<void> {
  const headers = { 'accept-encoding': encoding, 'cache-control': 'max-age=0' };
  const first = (await read(path, { headers })).headers;
  expect(first.get('cache-control')).toMatch(/max-age=0|no-cache/);
  const etag = first.get('etag') ?? '';
  const again = await read(path, { headers: { ...headers, 'if-none-match': etag } });
  expect([again.status, again.body, again.headers.get('etag')]).toEqual([304, '', etag]);
}

describe.each(['/openapi.json', '/portal/openapi.json', '/community/openapi.json'])('%s', (path) => {
  it('is sent compressed to whoever takes that, and is the same in each form', async () => {
    const plain = await read(path, { headers: { 'accept-encoding': 'identity' } });
    const lengthOf = ({ headers }: { headers: Headers }) => Number(headers.get('content-length'));
    for (const encoding of ['br', 'gzip']) {
      const packed = await read(path, { headers: { 'accept-encoding': encoding } });
      const said = ['content-encoding', 'vary'].map((name) => packed.headers.get(name));
      expect([packed.status, ...said]).toEqual([200, encoding, 'Accept-Encoding']);
      expect(lengthOf(packed)).toBeLessThan(lengthOf(plain) / 3);
      expect(packed.body).toEqual(plain.body);
    }
  });

  it.each(['br', 'gzip', 'identity'])(
    'is asked for again, and not sent again while it is the same: %s',
    (encoding) => expectAskedForAgain(path, encoding),
  );
});

describe.each([
  ['/openapi.json', [...endpoints, ...webhookEndpoints]],
  ['/community/openapi.json', placementEndpoints],
])('%s', (document, endpoints) => {
  it('describes exactly the endpoints that the gateway serves, at its public address', async () => {
    const { body } = await read(document);
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
    const { status, body, headers } = await read('/portal/openapi.json');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    const { openapi, paths, servers } = body as { openapi: string; paths: object; servers: unknown };
    expect(openapi).toMatch(/^3\./);
    expect(servers).toEqual([{ url: 'https://ads.example.test/portal/api' }]);
    expect(Object.keys(paths)).toEqual(Object.keys(document.paths));
    const page = (await read('/portal/docs')).body;
    expect(page).toContain('href="/portal/openapi.json"');
  });
});

describe.each([
  '/docs',
  '/docs/community',
  '/docs/community/placements',
  '/docs/errors',
  '/docs/reference',
  '/docs/reference/offers',
  '/downloads',
  '/',
  '/portal/docs',
  '/portal/docs/keys',
  '/portal',
  '/portal/sign-in',
])('%s', (path) => {
  it('loads everything from here and nothing from elsewhere', async () => {
    const addresses = await addressesIn(path);
    expect(addresses.length).toBeGreaterThan(0);
    for (const address of addresses) {
      expect(address).toMatch(/^\//);
      expect([address, (await read(address)).status]).toEqual([address, 200]);
    }
  });

  it('runs no script that is written into it, is framed nowhere, and can be read on a phone', async () => {
    const { status, body, headers } = await read(path);
    expect(status).toBe(200);
    expect(body).not.toMatch(/<script(?![^>]* src=)/);
    expect(body).toContain('name="viewport"');
    const policy = headers.get('content-security-policy');
    expect(policy).toMatch(/default-src '(self|none)'.*frame-ancestors 'none'/);
    expect(policy).not.toMatch(/script-src[^;]*(unsafe|nonce)/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });
});

describe('for programs', () => {
  const origin = 'https://ads.example.test';

  it('lists every guide in /llms.txt, and each is Markdown there', async () => {
    const { body, headers } = await read('/llms.txt');
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const addresses = [...(body as string).matchAll(/\]\(([^)]+)\)/g)].map(([, address = '']) => address);
    const guides = [...(await addressesIn('/docs')), ...(await addressesIn('/docs/community'))].filter(
      (path) => /^\/docs\/(?!assets|reference)[^.]+$/.test(path),
    );
    expect(guides.length).toBeGreaterThan(15);
    for (const guide of guides)
      expect(addresses).toContain(`${origin}${guide === '/docs/community' ? `${guide}/README` : guide}.md`);
    for (const address of addresses) {
      const { status, body, headers } = await read(address.replace(origin, ''));
      expect([address, status]).toEqual([address, 200]);
      if (!address.endsWith('.md')) continue;
      expect(headers.get('content-type')).toMatch(/^text\/markdown/);
      expect(body).toMatch(/^# /);
      const page = (await read(address.replace(origin, '').replace(/\/README\.md$|\.md$/, ''))).body;
      expect(page).toContain(
        `<link rel="alternate" type="text/markdown" href="${address.replace(origin, '')}">`,
      );
    }
  });

  it('has an API catalog (RFC 9727) whose addresses all answer', async () => {
    const { body, headers } = await read('/.well-known/api-catalog');
    expect(headers.get('content-type')).toMatch(
      /^application\/linkset\+json; profile="https:\/\/www\.rfc-editor\.org\/info\/rfc9727"/,
    );
    const { linkset } = JSON.parse(body as string) as { linkset: Record<string, unknown>[] };
    const apis = linkset.map(({ anchor }) => String(anchor).replace(origin, ''));
    expect(apis).toEqual(['', '/mcp', '/placements']);
    for (const { anchor: _, ...links } of linkset)
      for (const { href } of Object.values(links).flat() as { href: string }[])
        expect([href, (await read(href.replace(origin, ''))).status]).toEqual([href, 200]);
    const { status, headers: ofHead } = await read('/.well-known/api-catalog', { method: 'HEAD' });
    expect([status, ofHead.get('link')]).toEqual([
      200,
      `<${origin}/.well-known/api-catalog>; rel="api-catalog"`,
    ]);
  });

  it('has the workflows of a purchase, which name the API description by its public address', async () => {
    const { body } = await read('/arazzo.json');
    const { sourceDescriptions } = body as { sourceDescriptions: unknown };
    expect(sourceDescriptions).toMatchObject([{ url: 'https://ads.example.test/openapi.json' }]);
  });
});

describe.each(['/portal', '/portal/sign-in', '/docs/quick-start', '/docs/reference/offers', '/portal/docs'])(
  '%s',
  (path) => {
    it('runs only our own scripts, and texts never become markup', async () => {
      const policy = await policyAt(path);
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'");
      expect(policy).toContain("require-trusted-types-for 'script'");
      expect(policy).not.toMatch(/unsafe|https?:|data:/);
    });
  },
);

it.each(['/portal', '/docs', '/docs/reference', '/portal/docs'])(
  'the scripts and styles of %s are sent compressed, and caches may keep them for ever, since their names change with them',
  async (path) => {
    const addresses = await assetsOf(path);
    expect(addresses.map((address) => address.split('.').at(-1))).toEqual(
      expect.arrayContaining(['css', 'js']),
    );
    for (const address of addresses) {
      const { status, headers } = await read(address, { headers: { 'accept-encoding': 'br' } });
      expect([address, status]).toEqual([address, 200]);
      if (/\.(js|css)$/.test(address))
        expect([headers.get('content-encoding'), headers.get('vary')]).toEqual(['br', 'Accept-Encoding']);
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
  },
);

describe('/', () => {
  it('is a page that leads to the portal, the guides and the status', async () => {
    const headers = { accept: 'text/html,*/*' };
    expect((await read('/', { headers })).headers.get('content-type')).toBe('text/html; charset=utf-8');
    const links = await addressesIn('/', /href="([^"]+)"/g);
    expect(links).toEqual(expect.arrayContaining(['/portal', '/docs', '/docs/community', '/status']));
    expect((await read('/', { method: 'HEAD' })).status).toBe(200);
  });

  it('is no page for programs', async () => {
    const { status, body } = await read('/', { headers: { accept: 'application/json' } });
    expect([status, body]).toEqual([404, { message: 'Not found' }]);
  });
});

describe('/contact', () => {
  it('names what the settings name, as text', async () => {
    const { body, headers } = await read('/contact');
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'/);
    expect(body).toContain('<a href="mailto:help@ads.example">help@ads.example</a>');
    expect(body).toContain('href="https://ads.example/imprint?a=1&amp;b=2"');
    expect(body).not.toContain('Privacy policy');
  });
});

describe('the portal', () => {
  it.each([
    '/portal/sign-in',
    '/portal/test',
    '/portal/live/offers/7',
    '/portal/live/keys/',
    '/portal/sign-up',
  ])('shows its one page at %s, which no cache keeps, since it shows who is signed in', async (path) => {
    const { status, body, headers } = await read(path);
    expect([status, body]).toEqual([200, (await read('/portal')).body]);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it.each([
    ['/portal', '/portal/api/session'],
    ['/portal/test/offers/new', '/portal/api/session'],
    ['/portal/sign-in', undefined],
    ['/portal/sign-up', undefined],
  ])(
    'lets browsers ask for the session together with the scripts, where it is needed: %s',
    async (path, asked) => {
      const link = (await read(path)).headers.get('link') ?? '';
      expect(/^<([^>]+)>; rel=preload; as=fetch/.exec(link)?.[1]).toBe(asked);
    },
  );

  it.each([
    '/portal/nonsense',
    '/portal/index.html',
    '/portal/assets/index.js',
    '/portal/assets/../index.html',
    '/portal/%2e%2e/%2e%2e/package.json',
  ])('has nothing at %s', async (path) => {
    expect((await read(path)).status).toBe(404);
  });
});

describe('/downloads', () => {
  it('has each client with its size and hashes, in three forms that agree', async () => {
    const { body, headers } = await read('/downloads/index.json');
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    const { files, missing } = body as Downloads;
    const names = [...files, ...missing].map(({ name }) => name);
    expect(names).toEqual(['@offer-ads/sdk', '@offer-ads/mcp', 'offer-ads']);
    const sums = await read('/downloads/SHA256SUMS');
    expect(sums.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(sums.body).toBe(files.map(({ sha256, file }) => `${sha256}  ${file}\n`).join(''));
    const page = (await read('/downloads/')).body as string;
    for (const { reason } of missing) expect(page).toContain(reason.split('`')[0]);
    for (const { name, version, file, size, sha256, integrity } of files) {
      expect(page).toMatch(new RegExp(`${name} ${version}[^]*href="/downloads/${file}"[^]*${sha256}`));
      const reply = await fetch(`${gateway.url}/downloads/${file}`);
      const bytes = Buffer.from(await reply.arrayBuffer());
      const hash = (algorithm: string) => createHash(algorithm).update(bytes);
      expect([bytes.length, hash('sha256').digest('hex')]).toEqual([size, sha256]);
      expect(`sha512-${hash('sha512').digest('base64')}`).toBe(integrity);
      expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
      const { status, headers } = await read(`/downloads/${file}`, { method: 'HEAD' });
      expect([status, headers.get('content-length')]).toEqual([200, `${size}`]);
      await expectAskedForAgain(`/downloads/${file}`, 'identity');
    }
  });

  it.each([
    '/downloads/none.tgz',
    '/downloads/..%2fbuild.ts',
    '/downloads/%2e%2e/build.ts',
    '/downloads/a/b',
  ])('has nothing at %s', async (path) => {
    const { status, body } = await read(path);
    expect([status, body]).toEqual([404, { message: 'Not found' }]);
  });
});

describe('the guides', () => {
  it('are asked for again, and not sent again while they are the same', () =>
    expectAskedForAgain('/docs/limits', 'identity'));

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
