/** `/pay/{token}`: the stable link of a card payment (decision 12, stable payment link), and the pages to which Stripe returns the payer. */

import { requestFacts } from '@offer-ads/platform/http/request';
import type { Clock } from '@offer-ads/platform/process/clock';
import { Fault } from '@offer-ads/platform/process/faults';
import type { Express, Response } from 'express';
import type { Billing } from '../billing.ts';
import { followPaymentLink, type LinkLeadsTo, lookAtPaymentLink } from '../payments/follow-payment-link.ts';
import { stripeDeadline } from '../stripe/client.ts';
import { pageHeaders, paymentPage } from './pages.ts';

/** 24 bytes as base64url. */
const wellFormed = /^[\w-]{32}$/;
/** Enough for people and their mail scanners, too little for a script. */
const VISITS_PER_MINUTE = 20;
/** Made-up links must not fill the memory: above this number all counts are reset. */
const MAX_LINKS = 100_000;

export function payRoutes(app: Express, billing: Billing): void {
  const mayVisit = createVisitLimit(billing.clock);

  // Mail scanners that send HEAD requests must not open sessions.
  app.head('/pay/:token', async (req, res) => {
    const found = await resultOf(req.params.token, (token) => lookAtPaymentLink(billing, token));
    if (found.kind === 'session' || ('payment' in found && found.kind === 'unavailable'))
      res.set(pageHeaders).status(200).end();
    else show(res, found);
  });

  app.get('/pay/:token', async (req, res) => {
    const deadline = stripeDeadline(requestFacts(req).deadline());
    const found = await resultOf(req.params.token, (token) => followPaymentLink(billing, token, deadline));
    if (found.kind === 'session') res.set(pageHeaders).redirect(303, found.url);
    else show(res, found);
  });

  // The payer has paid, although the webhook of the payment may arrive later.
  app.get('/pay/:token/thanks', async (req, res) => {
    const found = await resultOf(req.params.token, (token) => lookAtPaymentLink(billing, token));
    show(res, 'payment' in found ? { kind: 'thanks', payment: found.payment } : found);
  });

  app.get('/pay/:token/cancelled', async (req, res) => {
    const found = await resultOf(req.params.token, (token) => lookAtPaymentLink(billing, token));
    if (found.kind === 'session' || (found.kind === 'unavailable' && 'payment' in found))
      show(res, { kind: 'cancelled', payment: found.payment });
    else show(res, found);
  });

  function show(res: Response, found: Parameters<typeof paymentPage>[1]): void {
    const { status, html } = paymentPage(billing.portalUrl, found);
    if (status === 429 || status === 503) res.set('Retry-After', '60');
    res.set(pageHeaders).status(status).type('html').send(html);
  }

  /** Shows a page on every error, because the visitor is a person. */
  async function resultOf(
    token: string,
    look: (token: string) => Promise<LinkLeadsTo>,
  ): Promise<LinkLeadsTo | { readonly kind: 'busy' | 'unavailable' }> {
    if (!wellFormed.test(token)) return { kind: 'unknown' };
    if (!mayVisit(token)) return { kind: 'busy' };
    try {
      return await look(token);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      billing.logger.warn({ error }, 'a payment link could not be followed');
      return { kind: 'unavailable' };
    }
  }
}

/** Limits how often one payment link is followed. Counted per replica: it protects against floods and is not an exact quota. */
function createVisitLimit(clock: Clock): (link: string) => boolean {
  let minute = 0;
  const visits = new Map<string, number>();
  return (link) => {
    const now = Math.floor(clock.now().getTime() / 60_000);
    if (now !== minute || visits.size >= MAX_LINKS) visits.clear();
    minute = now;
    const count = (visits.get(link) ?? 0) + 1;
    visits.set(link, count);
    return count <= VISITS_PER_MINUTE;
  };
}
