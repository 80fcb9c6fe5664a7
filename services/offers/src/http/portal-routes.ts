/** Routes of the portal beyond the public API, called with the signed caller context (contract `portal-offers-api`). */
import {
  type CreationReply,
  type OfferCreditReply,
  type PortalListReply,
  type PortalOffer,
  type SeriesReply,
  type SimulatedTrafficReply,
  seriesQuery,
  simulatedTraffic,
} from '@offer-ads/contracts/portal/offers-api';
import { isIdempotencyKey } from '@offer-ads/contracts/values/idempotency-key';
import { callerOf, requireCaller } from '@offer-ads/platform/calls/caller-context';
import { requestFacts } from '@offer-ads/platform/http/request';
import { jsonBody } from '@offer-ads/platform/http/request-bodies';
import { validInput } from '@offer-ads/platform/http/valid-input';
import express, { type Express, type Request } from 'express';
import type { OffersContext } from '../context.ts';
import { findCreation } from '../creation/idempotency-store.ts';
import { portalFilters, readListingQuery } from '../domain/listing-query.ts';
import { listOffers } from '../listing/listing-store.ts';
import { addSimulatedTraffic } from '../traffic/simulate-traffic.ts';
import { pagination, portalOffer } from './listed-offers.ts';
import { creditIfDeleted, creditOfDeleted, trafficSeries } from './offer-figures.ts';
import { findOwnListedOrDeleted, findOwnOrDeleted, nowOf, referenceOf } from './own-offer.ts';
import { portalReplies, type Reply, replyToListRefusal, replyToSimulationRefusal, send } from './replies.ts';

export function mountPortalRoutes(app: Express, o: OffersContext & { contextSecret: string }): void {
  const routes = express.Router();
  routes.use(requireCaller({ secret: o.contextSecret, audience: 'offers', clock: o.clock }));

  routes.get('/offers', async (req, res) => send(res, await list(o, req)));
  routes.get('/creations/:idempotency_key', async (req, res) => send(res, await creation(o, req)));
  routes.get('/offers/:offer_id', async (req, res) => send(res, await show(o, req)));
  routes.get('/offers/:offer_id/credit', async (req, res) => send(res, await credit(o, req)));
  routes.get('/offers/:offer_id/analytics/series', async (req, res) => send(res, await series(o, req)));
  routes.post('/offers/:offer_id/simulated-traffic', jsonBody({ maxBytes: 16 * 1024 }), async (req, res) =>
    send(res, await simulate(o, req)),
  );
  app.use('/portal', routes);
}

async function list(o: OffersContext, req: Request): Promise<Reply> {
  const caller = callerOf(req);
  // The mode comes from the path.
  const read = readListingQuery({ environment: caller.mode, ...req.query }, caller.mode, portalFilters);
  if (!read.ok) return replyToListRefusal(read, caller.mode);
  const now = await nowOf(o, req);
  const page = await listOffers(o.postgres, caller, read.query, now);
  const data = page.offers.map(portalOffer(o, now));
  return { status: 200, body: { data, pagination: pagination(page, read.query) } satisfies PortalListReply };
}

/** Found by the key alone: a page that was reloaded has lost the form and the picture. */
async function creation(o: OffersContext, req: Request): Promise<Reply> {
  const { organisationId, mode } = callerOf(req);
  const idempotencyKey = String(req.params['idempotency_key']);
  // An invalid key cannot have created an offer.
  const known = isIdempotencyKey(idempotencyKey)
    ? await findCreation(o.postgres, { organisationId, mode, idempotencyKey })
    : ({ state: 'none', offer_id: null } as const);
  return { status: 200, body: known satisfies CreationReply };
}

async function show(o: OffersContext, req: Request): Promise<Reply> {
  const offer = await findOwnListedOrDeleted(o, req);
  if (offer === null) return portalReplies['not-found'];
  if (offer.deletedAt === null)
    return { status: 200, body: portalOffer(o, await nowOf(o, req))(offer) satisfies PortalOffer };
  const credited = await creditOfDeleted(o, req, offer);
  const body = { ...portalOffer(o, offer.deletedAt)(offer), credited_minor: `${credited}` };
  return { status: 200, body: body satisfies PortalOffer };
}

async function credit(o: OffersContext, req: Request): Promise<Reply> {
  const credit = await creditIfDeleted(o, req);
  if (credit === null) return portalReplies['not-found'];
  const { offer, status, creditMinor, asOf } = credit;
  return {
    status: 200,
    body: {
      offer_id: offer.offerId,
      offer_status: status,
      currency: offer.currency,
      cost_minor: `${offer.netMinor}`,
      credit_minor: `${creditMinor}`,
      as_of_datetime: asOf.toISOString(),
    } satisfies OfferCreditReply,
  };
}

async function series(o: OffersContext, req: Request): Promise<Reply> {
  const { interval } = validInput(seriesQuery, req.query);
  const read = await trafficSeries(o, req, interval, 'hour', findOwnOrDeleted);
  if (read === null) return portalReplies['not-found'];
  const { status, ...figures } = read;
  return { status: 200, body: { ...figures, offer_status: status } satisfies SeriesReply };
}

async function simulate(o: OffersContext, req: Request): Promise<Reply> {
  const reference = referenceOf(req);
  // LIVE offers have no simulated traffic, whatever path or body says.
  if (reference === null || reference.mode !== 'TEST') return portalReplies['not-found'];
  const traffic = validInput(simulatedTraffic, req.body);
  const facts = requestFacts(req);
  const timing = { now: await nowOf(o, req), deadline: facts.deadline() };
  const outcome = await addSimulatedTraffic(o, reference, traffic, timing);
  if (!outcome.ok) return replyToSimulationRefusal(outcome.refusal);
  const body: SimulatedTrafficReply = { offer_id: reference.offerId, metrics: outcome.total };
  return { status: 200, body };
}
