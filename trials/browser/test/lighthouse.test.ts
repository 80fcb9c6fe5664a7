/**
 * A slow phone: the first price within a second, and Lighthouse on the pages that people open most: at least 95 for
 * performance and accessibility, and outside the portal for its other two figures. Only with TEST_PROFILE=long and alone, because each run takes half a minute and needs quiet cores.
 * Lighthouse is no dependency: it would double what `npm ci` installs.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { testProfile } from '@offer-ads/testing/profile';
import { median } from '../../../bench/markdown.ts';
import { newOrganisation } from '../../harness/advertiser.ts';
import { firstPrice } from './first-price.ts';
import { browserProgram, type Portal, startPortal } from './portal-under-test.ts';

const LIGHTHOUSE = 'lighthouse@13.5.0';
const LEAST = 95;
/** People do not search for pages of the portal. */
const figuresOf = (path: string) => [
  'performance',
  'accessibility',
  ...(path.startsWith('/portal') && !path.includes('/docs') ? [] : ['best-practices', 'seo']),
];
/** A busy machine makes a page slower, never faster: the best run counts. */
const RUNS = 3;
/** From the beginning of the navigation to the price. */
const MAX_PRICE_MS = 1_000;
const VISITS = 5;
const minutesMs = 60_000;

type Report = { readonly categories: Readonly<Record<string, { readonly score: number | null }>> };

const isTried = testProfile === 'long' && browserProgram !== undefined;

(isTried ? describe : describe.skip)('a slow phone', () => {
  let portal: Portal;
  let cookie = '';
  beforeAll(async () => {
    portal = await startPortal();
    const { adminEmail } = await newOrganisation(portal.system);
    const visitor = await portal.visitor();
    await visitor.signIn(adminEmail);
    cookie = (await visitor.context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
    await visitor[Symbol.asyncDispose]();
  }, 6 * minutesMs);
  afterAll(async () => {
    await portal?.[Symbol.asyncDispose]();
  }, 3 * minutesMs);

  it(
    `shows the first price within ${MAX_PRICE_MS} ms, on a first visit too`,
    async () => {
      await using visitor = await portal.visitor();
      const { adminEmail } = await newOrganisation(portal.system);
      await visitor.signIn(adminEmail);
      await visitor.page.setViewportSize({ width: 390, height: 844 });
      // For caches of the server, and V8.
      await firstPrice(visitor, { isCold: true });
      const first: number[] = [];
      const later: number[] = [];
      while (later.length < VISITS) {
        first.push((await firstPrice(visitor, { isCold: true })).ms);
        later.push((await firstPrice(visitor, { isCold: false })).ms);
      }
      process.stderr.write(
        `first price on a slow phone: ${first.join(', ')} ms, later ${later.join(', ')} ms\n`,
      );
      expect([first, later].map(median).filter((ms) => ms > MAX_PRICE_MS)).toEqual([]);
    },
    3 * minutesMs,
  );

  it.each([
    ['front', '/', false],
    ['status', '/status', false],
    ['contact', '/contact', false],
    ['downloads', '/downloads/', false],
    ['guides', '/docs', false],
    ['longest guide', '/docs/errors', false],
    ['samples', '/docs/quick-start', false],
    ['reference', '/docs/reference', false],
    ['longest reference', '/docs/reference/webhooks', false],
    ['longest portal reference', '/portal/docs/offers', false],
    ['guides for communities', '/docs/community', false],
    ['sign-in', '/portal', false],
    ['home', '/portal/test', true],
    ['offers', '/portal/test/offers', true],
    ['new offer', '/portal/test/offers/new', true],
  ] as const)(
    `gets the page %s with at least ${LEAST} points of Lighthouse`,
    async (_name, path, isSignedIn) => {
      let best = [0, 0];
      for (let run = 0; run < RUNS && Math.min(...best) < LEAST; run++) {
        const points = await pointsOf(
          `${portal.system.state().gateway}${path}`,
          isSignedIn ? cookie : '',
        ).catch((error: unknown) => {
          // Now and then it fails to record a page. Such a run has no points.
          process.stderr.write(`${String(error).slice(-500)}\n`);
          return [0, 0];
        });
        if (Math.min(...points) >= Math.min(...best)) best = points;
      }
      expect(Math.min(...best)).toBeGreaterThanOrEqual(LEAST);
    },
    10 * minutesMs,
  );
});

async function pointsOf(url: string, cookie: string): Promise<number[]> {
  const figures = figuresOf(new URL(url).pathname);
  const { stdout } = await promisify(execFile)(
    'npx',
    [
      '--yes',
      LIGHTHOUSE,
      url,
      '--quiet',
      '--output=json',
      `--only-categories=${figures.join(',')}`,
      '--chrome-flags=--headless=new --no-sandbox --disable-quic --disable-background-networking --disable-dev-shm-usage',
      ...(cookie === '' ? [] : [`--extra-headers=${JSON.stringify({ Cookie: cookie })}`]),
    ],
    { env: { ...process.env, CHROME_PATH: browserProgram }, timeout: 3 * minutesMs, maxBuffer: 2 ** 26 },
  );
  const { categories } = JSON.parse(stdout) as Report;
  return figures.map((name) => Math.round((categories[name]?.score ?? 0) * 100));
}
