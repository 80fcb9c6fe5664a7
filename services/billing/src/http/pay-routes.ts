/** `/pay/{token}`: the stable link of an offer's card payment (decision 12), and the pages that Stripe leads back to. */
import { Fault } from '@offer-ads/platform/faults';
import { requestFacts } from '@offer-ads/platform/http-server';
import type { Express, Response } from 'express';
import type { Billing } from '../billing.ts';
import { followPaymentLink, lookAtPaymentLink } from '../follow-payment-link.ts';
import { stripeDeadline } from '../stripe-client.ts';
import { type Page, page, pageHeaders } from './pages.ts';
import { createVisitLimit } from './visit-limit.ts';

/** 24 bytes as base64url. */
const wellFormed = /^[\w-]{32}$/;
/** Generous for people and their mail scanners, nothing for a script. */
const VISITS_PER_MINUTE = 20;

export function payRoutes(app: Express, billing: Billing): void {
  const mayVisit = createVisitLimit({ clock: billing.clock, perMinute: VISITS_PER_MINUTE });

  // Scanners that only look must not open sessions.
  app.head('/pay/:token', async (req, res) => {
    const { token } = req.params;
    const { kind } = wellFormed.test(token)
      ? await lookAtPaymentLink(billing, token)
      : { kind: 'unknown' as const };
    const mayBePaid = kind === 'session' || kind === 'unavailable';
    res
      .set(pageHeaders)
      .status(mayBePaid ? 200 : page(kind).status)
      .end();
  });

  app.get('/pay/:token', async (req, res) => {
    const { token } = req.params;
    if (!wellFormed.test(token)) return show(res, page('unknown'));
    if (!mayVisit(token)) return show(res.set('Retry-After', '60'), page('busy'));
    const deadline = stripeDeadline(requestFacts(req).deadline());
    const met = await followPaymentLink(billing, token, deadline).catch((error: unknown) => {
      if (!(error instanceof Fault)) throw error;
      billing.logger.warn({ error }, 'a payment link could not be followed');
      return { kind: 'unavailable' as const };
    });
    if (met.kind === 'session') res.set(pageHeaders).redirect(303, met.url);
    else show(met.kind === 'unavailable' ? res.set('Retry-After', '60') : res, page(met.kind));
  });

  app.get('/pay/:token/thanks', (_req, res) => show(res, page('thanks')));

  app.get('/pay/:token/cancelled', (req, res) => {
    const { token } = req.params;
    show(res, wellFormed.test(token) ? page('cancelled', token) : page('unknown'));
  });
}

function show(res: Response, { status, html }: Page): void {
  res.set(pageHeaders).status(status).type('html').send(html);
}
