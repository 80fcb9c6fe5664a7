/** Pages for people: the APIs' descriptions, their references, and the portal. They need no key and count against no limit. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import openapi from '@offer-ads/contracts/generated/openapi.json' with { type: 'json' };
import portalOpenapi from '@offer-ads/contracts/generated/portal-openapi.json' with { type: 'json' };
import collection from '@offer-ads/contracts/generated/postman-collection.json' with { type: 'json' };
import {
  builtFiles,
  builtFolder,
  builtPage,
  neverSniffed,
  policyOf,
  protect,
} from '@offer-ads/platform/built-pages';
import express, { type Express, type RequestHandler } from 'express';
import { docsPages } from './docs-pages.ts';

const pagesFolder = fileURLToPath(new URL('../../pages', import.meta.url));
/** The reference's own bundle, from the package: no request leaves for a CDN. */
const scalarFolder = join(dirname(fileURLToPath(import.meta.resolve('@scalar/api-reference'))), 'browser');

export type Pages = {
  readonly publicUrl: string;
  /** Where the pictures of offers come from, when not from here. */
  readonly imageOrigin: string | undefined;
};

export function pages(app: Express, o: Pages): void {
  const description = { ...openapi, servers: [{ url: o.publicUrl }] };
  const portalDescription = { ...portalOpenapi, servers: [{ url: `${o.publicUrl}/portal/api` }] };
  app.get('/openapi.json', (_req, res) => {
    res.json(description);
  });
  app.get('/docs/postman-collection.json', (_req, res) => {
    res.json(collectionAt(o.publicUrl));
  });
  app.get('/docs/reference', page('docs.html', referenceSources));
  app.get('/portal/openapi.json', (_req, res) => {
    res.json(portalDescription);
  });
  app.get('/portal/docs', page('portal-docs.html', referenceSources));
  portal(app, o);
  app.use('/assets', assets(join(pagesFolder, 'assets'), '1h'));
  app.use('/docs/reference/assets', assets(scalarFolder, '1d'));
  docsPages(app, join(builtFolder, 'docs'));
}

/** Requests for API clients such as Postman and Bruno, which then go to this service. */
function collectionAt(publicUrl: string): object {
  const variable = collection.variable.map((one) =>
    one.key === 'baseUrl' ? { ...one, value: publicUrl } : one,
  );
  return { ...collection, variable };
}

/** One page for all addresses of the portal: its script shows what the address names. */
function portal(app: Express, o: Pages): void {
  const folder = join(builtFolder, 'portal');
  const policy = policyOf(portalSources(o.imageOrigin));
  const protectPage: RequestHandler = (_req, res, next) => {
    protect(res, policy);
    next();
  };
  app.get(portalAddress, neverKept, protectPage, builtPage(folder, 'index.html'));
  // Their names change with their content.
  app.use('/portal/assets', builtFiles(join(folder, 'assets'), { keep: 'for-ever' }));
  const beside = builtFiles(folder, { keep: 3_600 });
  app.use('/portal', (req, res, next) => {
    // The page itself is at its addresses only, with its policy.
    if (/^\/[\w-]+\.(js|svg)$/.test(req.path)) beside(req, res, next);
    else next();
  });
}

/** What stands beside is the portal's too: its API, the reference of that, and the links that end mails. */
const portalAddress = /^\/portal(\/(sign-in|sign-up|(test|live)(\/[\w/-]*)?))?\/?$/;

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
function portalSources(imageOrigin: string | undefined): string[] {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    // blob: a picture that was chosen and is not sent yet.
    `img-src 'self' blob:${imageOrigin === undefined ? '' : ` ${new URL(imageOrigin).origin}`}`,
    "require-trusted-types-for 'script'",
  ];
}

const neverKept: RequestHandler = (_req, res, next) => {
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
  next();
};

function page(file: string, sources: readonly string[]): RequestHandler {
  const policy = policyOf(sources);
  return (_req, res) => {
    protect(res, policy);
    res.sendFile(file, { root: pagesFolder });
  };
}

function assets(folder: string, maxAge: string): RequestHandler {
  return express.static(folder, { index: false, maxAge, setHeaders: neverSniffed });
}
