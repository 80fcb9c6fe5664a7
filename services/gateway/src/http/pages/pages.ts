/** Pages for people: the APIs' descriptions, their references, and the portal. They need no key and count against no limit. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import openapi from '@offer-ads/contracts/generated/openapi.json' with { type: 'json' };
import portalOpenapi from '@offer-ads/contracts/generated/portal-openapi.json' with { type: 'json' };
import collection from '@offer-ads/contracts/generated/postman-collection.json' with { type: 'json' };
import {
  builtFiles,
  builtFolder,
  builtPage,
  neverSniffed,
  protect,
  strictPolicy,
} from '@offer-ads/platform/pages/built-pages';
import express, { type Express, type RequestHandler } from 'express';
import { docsPages } from './docs-pages.ts';
import { jsonDocument } from './json-document.ts';

/** Styles of the pages that this service writes itself. */
const assetsFolder = fileURLToPath(new URL('../../../pages/assets', import.meta.url));

export type Pages = {
  readonly publicUrl: string;
  /** Where the pictures of offers come from, when not from here. */
  readonly imageOrigin: string | undefined;
};

export function pages(app: Express, o: Pages): void {
  const description = { ...openapi, servers: [{ url: o.publicUrl }] };
  const portalDescription = { ...portalOpenapi, servers: [{ url: `${o.publicUrl}/portal/api` }] };
  app.get('/openapi.json', jsonDocument(description));
  app.get('/docs/postman-collection.json', jsonDocument(collectionAt(o.publicUrl)));
  app.get('/portal/openapi.json', jsonDocument(portalDescription));
  portal(app, o);
  app.use('/assets', express.static(assetsFolder, { index: false, maxAge: '1h', setHeaders: neverSniffed }));
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
  const elsewhere = o.imageOrigin === undefined ? [] : [new URL(o.imageOrigin).origin];
  // blob: a picture that was chosen and is not sent yet.
  const policy = strictPolicy({ imageSources: ['blob:', ...elsewhere] });
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

const neverKept: RequestHandler = (_req, res, next) => {
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
  next();
};
