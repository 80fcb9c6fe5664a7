/** The console's pages: one document for all addresses, and the files that `npm run build:web` made. */
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

/** A page of the console is a word, and what it is about: no dot, so that no file is meant. */
const pageAddress = /^\/(?!(api|assets)(\/|$))[\w/-]*$/;

export function mountPages(app: Express): void {
  // Names, pictures and texts of others are shown here.
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
  // Their names change with their content.
  app.use('/assets', builtFiles(join(folder, 'assets'), { keep: 'for-ever' }));
  const beside = builtFiles(folder, { keep: 3_600 });
  app.use((req, res, next) => {
    // The page itself is at its addresses only, with its policy.
    if (/^\/[\w-]+\.(js|svg)$/.test(req.path)) beside(req, res, next);
    else next();
  });
}
