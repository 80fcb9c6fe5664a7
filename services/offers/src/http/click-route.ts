/** GET /c/{token}: counts the click and leads the browser to the page of the offer. Never to an address of the request. */
import { requestFacts } from '@offer-ads/platform/http/request';
import { webPage, webPageHeaders } from '@offer-ads/platform/pages/web-page';
import { isServiceUnavailable } from '@offer-ads/platform/process/faults';
import type { Express, Response } from 'express';
import type { OffersContext } from '../context.ts';
import { visitorOf } from '../domain/placements/visit.ts';
import type { ClickTargets } from '../traffic/click-targets.ts';
import type { Clicks } from '../traffic/clicks.ts';

const headers = webPageHeaders({ hasForm: false });
const RETRY_AFTER_SECONDS = '60';

/** The pages of addresses that lead nowhere. */
const pages = {
  forged: [404, 'Not found', 'There is no offer behind this link. Please check that it is complete.'],
  expired: [
    410,
    'This link has expired',
    'A link works for a day. Please look for the offer where you saw it.',
  ],
  gone: [410, 'This offer is gone', 'It is not shown any more.'],
  unavailable: [503, 'One moment', 'The offer cannot be opened right now. Please try again in a minute.'],
} as const satisfies Record<string, readonly [status: number, heading: string, text: string]>;

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

function show(res: Response, kind: keyof typeof pages): Response {
  const [status, heading, text] = pages[kind];
  if (status === 503) res.set('Retry-After', RETRY_AFTER_SECONDS);
  const html = webPage({ title: heading, heading, body: `<p>${text}</p>` });
  return res.set(headers).status(status).type('html').send(html);
}
