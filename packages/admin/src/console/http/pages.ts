/** The console's pages: one document for all addresses, and the files from `npm run build:web`. */
import { join } from 'node:path';
import {
  builtFiles,
  builtFolder,
  builtPage,
  protect,
  strictPolicy,
} from '@offer-ads/platform/pages/built-pages';
import type { Express, RequestHandler } from 'express';

const folder = join(builtFolder, 'console');

/** Addresses of pages have no dot, so that addresses of files do not match. */
const pageAddress = /^\/(?!(api|assets)(\/|$))[\w/-]*$/;

export function mountPages(app: Express): void {
  // Pages show names, pictures and texts of users.
  const policy = strictPolicy();
  const protectPage: RequestHandler = (_req, res, next) => {
    protect(res, policy);
    res.set({
      'Cache-Control': 'no-store',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'X-Robots-Tag': 'noindex',
    });
    next();
  };
  app.get(pageAddress, protectPage, builtPage(folder, 'index.html'));
  // File names change with the content.
  app.use('/assets', builtFiles(join(folder, 'assets'), { keep: 'for-ever' }));
  const beside = builtFiles(folder, { keep: 3_600 });
  app.use((req, res, next) => {
    // Not for HTML: pages are served only at their own addresses, with the policy.
    if (/^\/[\w-]+\.(js|svg)$/.test(req.path)) beside(req, res, next);
    else next();
  });
}
