/** The guides and the references, which `npm run build:web` made of docs/guides and the OpenAPI documents' viewer, and the test pictures. */
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
/** Scalar writes style elements and inline styles; of texts markup becomes only in Vue's hands (web/docs/before-reference.js). */
const referencePolicy = policyOf([
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  // Test requests, and the description itself.
  "connect-src 'self'",
  "img-src 'self' data:",
  "require-trusted-types-for 'script'",
  'trusted-types vue default',
]);
/** Pages that have addresses elsewhere, or none. */
const notGuides: ReadonlySet<string> = new Set(['not-found', 'portal-reference']);
const dayInSeconds = 86_400;

/** @param folder of the built guides */
export function docsPages(app: Express, folder: string): void {
  readBuiltPage(join(folder, 'not-found.html'));
  // What a guide says may change with every release: it is asked for again, and not sent again while it is the same.
  const files = builtFiles(folder, { keep: 0 });

  app.use('/docs/assets', builtFiles(join(folder, 'assets'), { keep: 'for-ever' }));
  app.use('/docs/test-pictures', builtFiles(join(folder, 'test-pictures'), { keep: dayInSeconds }));
  app.use('/docs', (req, res, next) => {
    if (req.method !== 'GET' && req.method !== 'HEAD') return next();
    const missing = () => {
      protect(res, policy);
      res.status(404).setHeader('Cache-Control', 'no-store');
      // Read each time: a new build beside a running gateway has other names for its styles.
      const bare = { acceptRanges: false, cacheControl: false, etag: false, lastModified: false };
      res.sendFile('not-found.html', { root: folder, ...bare });
    };
    // What the mounts above have not found is no guide either.
    const [, name] = /^\/([\w-]*)$/.exec(req.path) ?? [];
    if (name === undefined || notGuides.has(name)) return missing();
    protect(res, name === 'reference' ? referencePolicy : policy);
    req.url = `/${name || 'index'}.html`;
    files(req, res, missing);
  });
  app.get('/portal/docs', (req, res, next) => {
    protect(res, referencePolicy);
    req.url = '/portal-reference.html';
    files(req, res, next);
  });
}
