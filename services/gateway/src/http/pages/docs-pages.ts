/** Serves the guides and references, which `npm run build:web` builds from docs/guides, docs/guides-community and the OpenAPI viewer, and the test pictures. */
import { join } from 'node:path';
import {
  builtFiles,
  policyOf,
  protect,
  readBuiltPage,
  strictPolicy,
} from '@offer-ads/platform/pages/built-pages';
import type { Express } from 'express';

const policy = strictPolicy();
/** Scalar writes style elements and inline styles. Only Vue turns text into markup (web/docs/before-reference.js). */
const referencePolicy = policyOf([
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  // For test requests and the OpenAPI description.
  "connect-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "require-trusted-types-for 'script'",
  'trusted-types vue default',
]);
/** Pages that have other addresses, or none. */
const notGuides: ReadonlySet<string> = new Set(['not-found', 'portal-reference']);
const dayInSeconds = 86_400;

/** @param folder the folder of the built guides */
export function docsPages(app: Express, folder: string): void {
  readBuiltPage(join(folder, 'not-found.html'));
  // A guide may change with every release: browsers revalidate it each time, and get a 304 if it is unchanged.
  const files = builtFiles(folder, { keep: 0 });

  app.use('/docs/assets', builtFiles(join(folder, 'assets'), { keep: 'for-ever' }));
  app.use('/docs/test-pictures', builtFiles(join(folder, 'test-pictures'), { keep: dayInSeconds }));
  app.use('/docs', (req, res, next) => {
    if (req.method !== 'GET' && req.method !== 'HEAD') return next();
    const missing = () => {
      protect(res, policy);
      res.status(404).setHeader('Cache-Control', 'no-store');
      // Read each time, because a new build beside a running gateway has other names for its styles.
      const bare = { acceptRanges: false, cacheControl: false, etag: false, lastModified: false };
      res.sendFile('not-found.html', { root: folder, ...bare });
    };
    // Names that the mounts above did not find are no guides.
    const [, readers = '', name, markdown] =
      /^(\/community(?=\/|$))?\/?([\w-]*)(\.md)?$/.exec(req.path) ?? [];
    if (name === undefined || notGuides.has(name)) return missing();
    protect(res, readers === '' && name === 'reference' ? referencePolicy : policy);
    req.url = `${readers}/${name || 'index'}${markdown ?? '.html'}`;
    files(req, res, missing);
  });
  app.get('/portal/docs', (req, res, next) => {
    protect(res, referencePolicy);
    req.url = '/portal-reference.html';
    files(req, res, next);
  });
}
