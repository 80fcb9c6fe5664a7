/** Pages for people: the API's description, its reference, and the portal. They need no key and count against no limit. */
import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import openapi from '@offer-ads/contracts/generated/openapi.json' with { type: 'json' };
import { apiReference } from '@scalar/express-api-reference';
import express, { type Express, type RequestHandler, type Response } from 'express';

const pagesFolder = fileURLToPath(new URL('../../pages', import.meta.url));
/** The reference's own bundle, from the package: no request leaves for a CDN. */
const scalarFolder = join(dirname(fileURLToPath(import.meta.resolve('@scalar/api-reference'))), 'browser');

export function pages(app: Express, o: { publicUrl: string }): void {
  const description = { ...openapi, servers: [{ url: o.publicUrl }] };
  app.get('/openapi.json', (_req, res) => {
    res.json(description);
  });
  app.get('/docs', referencePage);
  app.use('/docs/assets', express.static(scalarFolder, { index: false, maxAge: '1d' }));
  app.get('/portal', (_req, res) => {
    protect(res, ["default-src 'none'", "style-src 'self'", "img-src 'self'"]);
    res.sendFile('portal.html', { root: pagesFolder });
  });
  app.use('/portal/assets', express.static(pagesFolder, { index: false, maxAge: '1h' }));
}

const referencePage: RequestHandler = (req, res, next) => {
  const nonce = randomBytes(16).toString('base64');
  // Scalar writes style elements and inline styles; everything else is ours and comes from here.
  protect(res, [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}'`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
  ]);
  // Its type asks for a request without parameters, which it does not look at.
  const page = apiReference({
    url: '/openapi.json',
    cdn: '/docs/assets/standalone.js',
    pageTitle: 'Offer Advertising API',
    nonce,
    // No part of it may ask or advertise the maker's services.
    withDefaultFonts: false,
    telemetry: false,
    hideClientButton: true,
    agent: { disabled: true },
    mcp: { disabled: true },
  }) as unknown as RequestHandler;
  void page(req, res, next);
};

/** Nothing of ours is framed, sniffed or referred elsewhere. */
function protect(res: Response, sources: readonly string[]): void {
  const policy = [...sources, "base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'"];
  res.setHeader('Content-Security-Policy', policy.join('; '));
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader('Referrer-Policy', 'no-referrer');
}
