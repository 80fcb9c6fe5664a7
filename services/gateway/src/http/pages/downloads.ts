/** `/downloads`: our clients, packed, with their hashes. `npm run build:web` makes the folder (web/downloads/build.ts). */
import { join } from 'node:path';
import { builtFolder, neverSniffed, protect, strictPolicy } from '@offer-ads/platform/pages/built-pages';
import express, { type Express } from 'express';

export function downloads(app: Express): void {
  const files = express.static(join(builtFolder, '../downloads/dist'), {
    index: false,
    redirect: false,
    // Until a version is released, its file may change: caches ask each time.
    maxAge: 0,
    setHeaders: (res, path) => {
      neverSniffed(res);
      if (path.endsWith('SHA256SUMS')) res.setHeader('Content-Type', 'text/plain; charset=utf-8');
    },
  });
  app.use('/downloads', (req, res, next) => {
    if (req.path === '/') {
      protect(res, strictPolicy());
      req.url = '/index.html';
    }
    files(req, res, next);
  });
}
