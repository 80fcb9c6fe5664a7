/** The guides under `/docs`, which `npm run build:web` rendered from docs/guides, and the test pictures that they offer. */
import { join } from 'node:path';
import { builtFiles, policyOf, protect, readBuiltPage } from '@offer-ads/platform/built-pages';
import type { Express } from 'express';

const policy = policyOf([
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // The index that search looks through.
  "connect-src 'self'",
  "img-src 'self'",
  "require-trusted-types-for 'script'",
]);
const dayInSeconds = 86_400;

/** @param folder of the built guides */
export function docsPages(app: Express, folder: string): void {
  const notFound = readBuiltPage(join(folder, 'not-found.html'));
  // What a guide says may change with every release: it is asked for again, and not sent again while it is the same.
  const guides = builtFiles(folder, { keep: 0 });

  app.use('/docs/assets', builtFiles(join(folder, 'assets'), { keep: 'for-ever' }));
  app.use('/docs/test-pictures', builtFiles(join(folder, 'test-pictures'), { keep: dayInSeconds }));
  app.use('/docs', (req, res, next) => {
    if (req.method !== 'GET' && req.method !== 'HEAD') return next();
    protect(res, policy);
    const missing = () => {
      res.status(404).setHeader('Cache-Control', 'no-store');
      res.type('html').send(notFound);
    };
    // What the mounts above have not found is no guide either.
    const [, name] = /^\/([\w-]*)$/.exec(req.path) ?? [];
    if (name === undefined || name === 'not-found') return missing();
    req.url = `/${name || 'index'}.html`;
    guides(req, res, missing);
  });
}
