/** `/status`: the overall health, for people and for programs. Needs no key and counts against no limit. */
import { neverSniffed, protect } from '@offer-ads/platform/pages/built-pages';
import type { Express, Response } from 'express';
import type { Status, StatusWithOutages } from '../domain/status.ts';
import type { ReadStatus } from '../status.ts';
import { sitePolicy } from './pages/contact-page.ts';
import { statusPage } from './pages/status-page.ts';

export function statusRoutes(app: Express, read: ReadStatus): void {
  app.get('/status', async (req, res) => {
    res.vary('Accept');
    const status = await read();
    if (req.accepts(['html', 'json']) === 'json') return sendJson(res, status);
    protect(res, sitePolicy);
    begin(res, status).type('html').send(statusPage(status));
  });
  app.get('/status.json', async (_req, res) => {
    sendJson(res, await read());
  });
}

function sendJson(res: Response, status: StatusWithOutages): void {
  begin(res, status).json(status);
}

/** 503 while some endpoint of the public API cannot be served, so that a simple uptime check is enough. */
function begin(res: Response, status: Status): Response {
  res.setHeader('Cache-Control', 'no-store');
  neverSniffed(res);
  if (status.overall === 'down') res.setHeader('Retry-After', 2);
  return res.status(status.overall === 'down' ? 503 : 200);
}
