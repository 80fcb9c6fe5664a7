/** GET /c/{token}: counts the click and leads the browser to the page of the offer. Never to an address of the request. */
import { requestFacts } from '@offer-ads/platform/http/request';
import { webPageHeaders } from '@offer-ads/platform/pages/web-page';
import { isServiceUnavailable } from '@offer-ads/platform/process/faults';
import type { Express, Response } from 'express';
import type { OffersContext } from '../context.ts';
import { visitorOf } from '../domain/placements/visit.ts';
import type { ClickTargets } from '../traffic/click-targets.ts';
import type { Clicks } from '../traffic/clicks.ts';
import { clickPage } from './click-pages.ts';

const headers = webPageHeaders({ hasForm: false });
const RETRY_AFTER_SECONDS = '60';

export function mountClickRoute(
  app: Express,
  o: Pick<OffersContext, 'tokens' | 'logger'> & {
    readonly clicks: Clicks;
    readonly targets: ClickTargets;
  },
): void {
  app.get('/c/:token', async (req, res) => {
    const { receivedAt } = requestFacts(req);
    const read = o.tokens.readClick(req.params.token, receivedAt);
    if (!read.ok) return show(res, read.reason);
    const url = await o.targets.find(read.event.offerId).catch((error: unknown) => {
      if (!isServiceUnavailable(error)) throw error;
      o.logger.warn({ error }, 'a click could not be led on');
      return undefined;
    });
    if (url === undefined) return show(res, 'unavailable');
    if (url === null) return show(res, 'gone');
    const visitor = visitorOf(req.method, req.headers);
    if (visitor !== 'nobody') await o.clicks.record({ ...read.event, automated: visitor === 'bot' });
    // As a browser writes it: a header may have ASCII only.
    return res.set(headers).set('Location', new URL(url).href).status(302).end();
  });
}

function show(res: Response, kind: Parameters<typeof clickPage>[0]): Response {
  const { status, html } = clickPage(kind);
  if (status === 503) res.set('Retry-After', RETRY_AFTER_SECONDS);
  return res.set(headers).status(status).type('html').send(html);
}
