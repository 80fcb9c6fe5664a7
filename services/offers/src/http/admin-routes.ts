/** Internal routes for the platform's own people: one offer, its switch, and the catalogue. */
import { catalogueReplacement } from '@offer-ads/contracts/admin-api';
import { requireAdmin } from '@offer-ads/platform/admin-routes';
import { requestFacts } from '@offer-ads/platform/http-request';
import { validInput } from '@offer-ads/platform/valid-input';
import express, { type Express } from 'express';
import { readCatalogue, replaceCatalogue } from '../catalogue-store.ts';
import { disableOffer, enableOffer } from '../change-offer.ts';
import type { OffersContext } from '../context.ts';
import { effectiveAt } from '../domain/lifecycle.ts';
import { type Offer, stateAt } from '../domain/offer.ts';
import { parseId } from '../domain/offer-id.ts';
import { unusedTime } from '../domain/unused-time.ts';
import { findOfferForAdmin } from '../offers-store.ts';
import { sumCounts } from '../traffic-store.ts';
import { paymentRoutes } from './payment-routes.ts';
import { adminReplies, type Reply } from './replies.ts';
import { send } from './send.ts';

export function mountAdminRoutes(app: Express, o: OffersContext & { adminToken: string }): void {
  const routes = express.Router();
  routes.use(requireAdmin({ token: o.adminToken, logger: o.logger }), express.json({ limit: '1mb' }));

  routes.get('/offers/:offer_id', async (req, res) => {
    send(res, await show(o, req.params.offer_id, requestFacts(req).receivedAt));
  });
  routes.post('/offers/:offer_id/disable', async (req, res) => {
    const now = requestFacts(req).receivedAt;
    const disabled = await disableOffer(o, parseId(req.params.offer_id) ?? 0, now);
    send(res, disabled.ok ? await show(o, req.params.offer_id, now) : adminReplies[disabled.reason]);
  });
  routes.post('/offers/:offer_id/enable', async (req, res) => {
    const now = requestFacts(req).receivedAt;
    const enabled = await enableOffer(o, parseId(req.params.offer_id) ?? 0, now);
    send(res, enabled.ok ? await show(o, req.params.offer_id, now) : adminReplies[enabled.reason]);
  });
  routes.get('/catalogue', async (_req, res) => {
    res.json(await readCatalogue(o.postgres));
  });
  routes.put('/catalogue', async (req, res) => {
    const catalogue = validInput(catalogueReplacement, req.body);
    const replaced = await replaceCatalogue(o.postgres, catalogue, requestFacts(req).receivedAt);
    send(res, replaced.ok ? { status: 200, body: replaced.catalogue } : adminReplies[replaced.reason]);
  });
  paymentRoutes(routes, o);
  app.use('/admin', routes);
}

async function show(o: OffersContext, offerId: string, now: Date): Promise<Reply> {
  const offer = await findOfferForAdmin(o.postgres, parseId(offerId) ?? 0);
  if (offer === null) return adminReplies['not-found'];
  // Beside what analytics show, what was filtered (decision 50).
  const traffic = await sumCounts(o.postgres, offer.offerId, { from: offer.createdAt, to: now });
  return { status: 200, body: { ...described(offer, now), traffic } };
}

function described(offer: Offer, arrivedAt: Date): object {
  const now = effectiveAt(offer, arrivedAt);
  return {
    id: offer.offerId,
    organisationId: offer.organisationId,
    mode: offer.mode,
    createdBy: offer.createdBy,
    title: offer.title,
    status: stateAt(offer, now),
    enabled: offer.disabledSince === null,
    paymentMethod: offer.paymentMethod,
    currency: offer.currency,
    netMinor: offer.netMinor.toString(),
    vatMinor: offer.vatMinor.toString(),
    paymentUrl: offer.paymentUrl,
    createdAt: offer.createdAt,
    startAt: offer.startAt,
    expiryAt: offer.expiryAt,
    paidAt: offer.paidAt,
    paymentAppliedAt: offer.paymentAppliedAt,
    pausedSince: offer.pausedSince,
    disabledSince: offer.disabledSince,
    deletedAt: offer.deletedAt,
    ...unusedTime(offer, now),
    version: offer.version,
  };
}
