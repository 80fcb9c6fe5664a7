/** Pages for people: the APIs' descriptions, their references, and the portal. They need no key and count against no limit. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import openapi from '@offer-ads/contracts/generated/openapi.json' with { type: 'json' };
import portalOpenapi from '@offer-ads/contracts/generated/portal-openapi.json' with { type: 'json' };
import express, { type Express, type RequestHandler, type Response } from 'express';

const pagesFolder = fileURLToPath(new URL('../../pages', import.meta.url));
/** The reference's own bundle, from the package: no request leaves for a CDN. */
const scalarFolder = join(dirname(fileURLToPath(import.meta.resolve('@scalar/api-reference'))), 'browser');

export function pages(app: Express, o: { publicUrl: string }): void {
  const description = { ...openapi, servers: [{ url: o.publicUrl }] };
  const portalDescription = { ...portalOpenapi, servers: [{ url: `${o.publicUrl}/portal/api` }] };
  app.get('/openapi.json', (_req, res) => {
    res.json(description);
  });
  app.get('/docs', page('docs.html', referenceSources));
  app.get('/portal/openapi.json', (_req, res) => {
    res.json(portalDescription);
  });
  app.get('/portal/docs', page('portal-docs.html', referenceSources));
  app.get('/portal', neverKept, page('portal.html', portalSources));
  app.get('/portal/sign-in', neverKept, page('portal-sign-in.html', portalSources));
  app.use('/assets', assets(join(pagesFolder, 'assets'), '1h'));
  app.use('/docs/assets', assets(scalarFolder, '1d'));
}

const referenceSources = [
  "default-src 'none'",
  "script-src 'self'",
  // Test requests, and the description itself.
  "connect-src 'self'",
  // Scalar writes style elements and inline styles.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
];

/** Who is signed in is shown here, and sign-in links arrive: nothing foreign runs, and texts never become markup. */
const portalSources = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "require-trusted-types-for 'script'",
];

const neverKept: RequestHandler = (_req, res, next) => {
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
  next();
};

/** Nothing of ours is framed, sniffed or referred elsewhere. */
function page(file: string, sources: readonly string[]): RequestHandler {
  const policy = [...sources, "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"].join('; ');
  return (_req, res) => {
    res.setHeader('Content-Security-Policy', policy);
    res.setHeader('Referrer-Policy', 'no-referrer');
    neverSniffed(res);
    res.sendFile(file, { root: pagesFolder });
  };
}

function assets(folder: string, maxAge: string): RequestHandler {
  return express.static(folder, { index: false, maxAge, setHeaders: neverSniffed });
}

function neverSniffed(res: Response): void {
  res.setHeader('X-Content-Type-Options', 'nosniff');
}
