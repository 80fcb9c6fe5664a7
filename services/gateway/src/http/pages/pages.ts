/** Pages for people: the API descriptions, their references, and the portal. They need no key and count against no limit. */
import { join } from 'node:path';
import communityOpenapi from '@offer-ads/contracts/generated/community-openapi.json' with { type: 'json' };
import openapi from '@offer-ads/contracts/generated/openapi.json' with { type: 'json' };
import portalOpenapi from '@offer-ads/contracts/generated/portal-openapi.json' with { type: 'json' };
import { purchaseWorkflows } from '@offer-ads/contracts/public/workflows';
import {
  builtFiles,
  builtFolder,
  builtPage,
  neverSniffed,
  protect,
  readBuiltPage,
  strictPolicy,
} from '@offer-ads/platform/pages/built-pages';
import type { Express, RequestHandler } from 'express';
import { docsPages } from './docs-pages.ts';
import { downloads } from './downloads.ts';
import { jsonDocument } from './json-document.ts';

/** The front page, and the style sheet that it shares with the status page. */
const site = join(builtFolder, 'site');

export type Pages = {
  readonly publicUrl: string;
  /** The origin of offers' pictures, if it is another one. */
  readonly imageOrigin: string | undefined;
};

export function pages(app: Express, o: Pages): void {
  frontPage(app);
  const description = { ...openapi, servers: [{ url: o.publicUrl }] };
  const portalDescription = { ...portalOpenapi, servers: [{ url: `${o.publicUrl}/portal/api` }] };
  app.get('/openapi.json', jsonDocument(description));
  app.get('/community/openapi.json', jsonDocument({ ...communityOpenapi, servers: [{ url: o.publicUrl }] }));
  app.get('/portal/openapi.json', jsonDocument(portalDescription));
  forPrograms(app, o.publicUrl);
  portal(app, o);
  app.use('/assets', builtFiles(join(site, 'assets'), { keep: 3_600 }));
  docsPages(app, join(builtFolder, 'docs'));
  downloads(app);
}

/** What programs look for: workflows, the API catalog of RFC 9727, and the list of guides of llmstxt.org. */
function forPrograms(app: Express, publicUrl: string): void {
  const at = (path: string, type: string) => ({ href: `${publicUrl}${path}`, type });
  const [source] = purchaseWorkflows.sourceDescriptions;
  const sourceDescriptions = [{ ...source, url: `${publicUrl}/openapi.json` }];
  app.get('/arazzo.json', jsonDocument({ ...purchaseWorkflows, sourceDescriptions }));
  const openapiType = 'application/vnd.oai.openapi+json';
  const status = [at('/status.json', 'application/json')];
  const linkset = [
    {
      anchor: publicUrl,
      'service-desc': [at('/openapi.json', openapiType)],
      'service-doc': [at('/docs', 'text/html'), at('/llms.txt', 'text/plain')],
      status,
    },
    { anchor: `${publicUrl}/mcp`, 'service-doc': [at('/docs/assistants', 'text/html')], status },
    {
      anchor: `${publicUrl}/placements`,
      'service-desc': [at('/community/openapi.json', openapiType)],
      'service-doc': [at('/docs/community', 'text/html')],
      status,
    },
  ];
  const type = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';
  const catalog = '/.well-known/api-catalog';
  app.get(catalog, (_req, res, next) => {
    res.links({ 'api-catalog': `${publicUrl}${catalog}` });
    next();
  });
  app.get(catalog, jsonDocument({ linkset }, type));
  const list = readBuiltPage(join(builtFolder, 'docs/llms.txt')).replaceAll('](/', `](${publicUrl}/`);
  app.get('/llms.txt', (_req, res) => {
    neverSniffed(res);
    res.set('Cache-Control', 'no-cache').type('text/plain').send(list);
  });
}

/** `/` for people. Programs that ask for JSON there get the 404 of unknown endpoints. */
function frontPage(app: Express): void {
  readBuiltPage(join(site, 'front.html'));
  app.get('/', (req, res, next) => {
    res.vary('Accept');
    if (req.accepts(['html', 'json']) !== 'html') return next();
    protect(res, strictPolicy());
    res.sendFile('front.html', { root: site, maxAge: '5m' });
  });
}

/** One HTML page for all addresses of the portal; its script renders the page of the address. */
function portal(app: Express, o: Pages): void {
  const folder = join(builtFolder, 'portal');
  const elsewhere = o.imageOrigin === undefined ? [] : [new URL(o.imageOrigin).origin];
  // blob: is for a chosen picture before its upload.
  const policy = strictPolicy({ imageSources: ['blob:', ...elsewhere] });
  const protectPage: RequestHandler = (_req, res, next) => {
    protect(res, policy);
    next();
  };
  app.get(portalAddress, neverKept, protectPage, sessionWithPage, builtPage(folder, 'index.html'));
  // Their names change with their content, so they can be cached for ever.
  app.use('/portal/assets', builtFiles(join(folder, 'assets'), { keep: 'for-ever' }));
  const beside = builtFiles(folder, { keep: 3_600 });
  app.use('/portal', (req, res, next) => {
    // index.html is served only at the portal's addresses, with its own policy.
    if (/^\/[\w-]+\.(js|svg)$/.test(req.path)) beside(req, res, next);
    else next();
  });
}

/** Addresses of portal pages. The portal's API, its reference and the unsubscribe links are not among them. */
const portalAddress = /^\/portal(\/(sign-in|sign-up|(test|live)(\/[\w/-]*)?))?\/?$/;

/** Lets browsers ask for the session together with the scripts that need it. Sign-in and sign-up need none. */
const sessionWithPage: RequestHandler = (req, res, next) => {
  if (!req.path.startsWith('/portal/sign-'))
    res.setHeader('Link', '</portal/api/session>; rel=preload; as=fetch; crossorigin');
  next();
};

const neverKept: RequestHandler = (_req, res, next) => {
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
  next();
};
