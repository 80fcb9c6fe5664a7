/** Routes of the portal beyond the public API, called with the signed caller context (contract `portal-offers-api`). */
import {
  bulkRequest,
  type ChangesReply,
  type CreationReply,
  changesQuery,
  linkTagsSetting,
  type OfferCreditReply,
  type PortalListReply,
  type PortalOffer,
  resultsQuery,
  type SimulatedTrafficReply,
  simulatedTraffic,
} from '@offer-ads/contracts/portal/offers-api';
import { isIdempotencyKey } from '@offer-ads/contracts/values/idempotency-key';
import { callerOf, requireCaller } from '@offer-ads/platform/calls/caller-context';
import { jsonBody } from '@offer-ads/platform/http/request-bodies';
import { validInput } from '@offer-ads/platform/http/valid-input';
import express, { type Express, type Request } from 'express';
import type { OffersContext } from '../context.ts';
import { findCreation } from '../creation/idempotency-store.ts';
import { readPortalQuery } from '../domain/portal-listing.ts';
import { requestReview } from '../lifecycle/change-offer.ts';
import { listChanges } from '../lifecycle/changes-store.ts';
import { findForPortal, listForPortal } from '../listing/portal-listing-store.ts';
import { findOfferOrDeleted } from '../offers-store.ts';
import { readLinkTags, writeLinkTags } from '../traffic/link-tags-store.ts';
import { addSimulatedTraffic } from '../traffic/simulate-traffic.ts';
import { type Command, changeEach, commands } from './change-each.ts';
import { check } from './create-route.ts';
import { analyticsCsv, offersCsv } from './csv-routes.ts';
import { showGroupForPortal } from './group-routes.ts';
import { pagination, portalOffer } from './listed-offers.ts';
import { creditIfDeleted, creditOfDeleted, resultsOf, zonedSeries } from './offer-figures.ts';
import { callOf, findOwn, nowOf, referenceOf, timingOf } from './own-offer.ts';
import {
  portalReplies,
  type Reply,
  replyToListRefusal,
  replyToSimulationRefusal,
  reviewRequestReplies,
  send,
} from './replies.ts';

const bulkBody = jsonBody({ maxBytes: 16 * 1024 });

export function mountPortalRoutes(app: Express, o: OffersContext): void {
  const routes = express.Router();
  routes.use(requireCaller({ secret: o.contextSecret, audience: 'offers', clock: o.clock }));

  routes.get('/offers', async (req, res) => send(res, await list(o, req)));
  routes.get('/offers.csv', (req, res) => offersCsv(o, req, res));
  routes.get('/link-tags', async (req, res) => {
    res.json(await readLinkTags(o.postgres, callerOf(req).organisationId));
  });
  routes.put('/link-tags', bulkBody, async (req, res) => {
    const tags = validInput(linkTagsSetting, req.body);
    await writeLinkTags(o.postgres, callerOf(req).organisationId, tags);
    res.json(tags);
  });
  routes.get('/results', async (req, res) => send(res, await results(o, req)));
  routes.post('/offers/pause', bulkBody, async (req, res) =>
    send(res, await changeNamed(o, req, commands.pause)),
  );
  routes.post('/offers/resume', bulkBody, async (req, res) =>
    send(res, await changeNamed(o, req, commands.resume)),
  );
  routes.post('/offer-groups/check', async (req, res) => send(res, await check(o, req)));
  routes.get('/creations/:idempotency_key', async (req, res) => send(res, await creation(o, req)));
  routes.get('/offers/:offer_id', async (req, res) => send(res, await show(o, req)));
  routes.get('/offer-groups/:group_id', async (req, res) => send(res, await showGroupForPortal(o, req)));
  routes.get('/offers/:offer_id/credit', async (req, res) => send(res, await credit(o, req)));
  routes.get('/offers/:offer_id/changes', async (req, res) => send(res, await changes(o, req)));
  routes.post('/offers/:offer_id/review-request', async (req, res) => send(res, await askAgain(o, req)));
  for (const path of ['/offers/:offer_id', '/offer-groups/:group_id']) {
    routes.get(`${path}/analytics/series`, async (req, res) => send(res, await series(o, req)));
    routes.get(`${path}/analytics.csv`, (req, res) => analyticsCsv(o, req, res));
  }
  routes.post('/offers/:offer_id/simulated-traffic', jsonBody({ maxBytes: 16 * 1024 }), async (req, res) =>
    send(res, await simulate(o, req)),
  );
  app.use('/portal', routes);
}

async function list(o: OffersContext, req: Request): Promise<Reply> {
  const caller = callerOf(req);
  // The mode comes from the path.
  const read = readPortalQuery(req.query, caller.mode);
  if (!read.ok) return replyToListRefusal(read, caller.mode);
  const now = await nowOf(o, req);
  const page = await listForPortal(o.postgres, caller, read.query, now);
  const body: PortalListReply = {
    data: page.offers.map(portalOffer(o, now)),
    pagination: pagination(read.query.limit, page.offers.length, page.nextCursor),
    only_newest: page.onlyNewest,
  };
  return { status: 200, body };
}

async function results(o: OffersContext, req: Request): Promise<Reply> {
  const { days = '7', ...asked } = validInput(resultsQuery, req.query);
  const body = await resultsOf(o, req, Number(days), asked);
  return body === null ? portalReplies['not-begun'] : { status: 200, body };
}

async function changeNamed<Refusal extends string>(
  o: OffersContext,
  req: Request,
  command: Command<Refusal>,
): Promise<Reply> {
  const { offer_ids: offerIds } = validInput(bulkRequest, req.body);
  return { status: 200, body: await changeEach(o, req, offerIds, command) };
}

/** Found by the key alone: a page that was reloaded has lost the form and the picture. */
async function creation(o: OffersContext, req: Request): Promise<Reply> {
  const { organisationId, mode } = callerOf(req);
  const idempotencyKey = String(req.params['idempotency_key']);
  // An invalid key cannot have created an offer.
  const known = isIdempotencyKey(idempotencyKey)
    ? await findCreation(o.postgres, { organisationId, mode, idempotencyKey })
    : ({ state: 'none', offer_id: null, group_id: null } as const);
  return { status: 200, body: known satisfies CreationReply };
}

async function show(o: OffersContext, req: Request): Promise<Reply> {
  const offer = await findOwn(o, req, findForPortal);
  if (offer === null) return portalReplies['not-found'];
  if (offer.deletedAt === null)
    return { status: 200, body: portalOffer(o, await nowOf(o, req))(offer) satisfies PortalOffer };
  const credited = await creditOfDeleted(o, req, offer);
  const body = { ...portalOffer(o, offer.deletedAt)(offer), credited_minor: `${credited}` };
  return { status: 200, body: body satisfies PortalOffer };
}

async function changes(o: OffersContext, req: Request): Promise<Reply> {
  const { limit, cursor } = validInput(changesQuery, req.query);
  const offer = await findOwn(o, req, findOfferOrDeleted);
  if (offer === null) return portalReplies['not-found'];
  const page = await listChanges(o.postgres, offer.offerId, { before: cursor ?? null, limit });
  const body: ChangesReply = { data: [...page.changes], next_cursor: page.next };
  return { status: 200, body };
}

async function askAgain(o: OffersContext, req: Request): Promise<Reply> {
  const reference = referenceOf(req);
  if (reference === null) return portalReplies['not-found'];
  const asked = await requestReview(o, reference, callOf(req));
  return asked.ok ? show(o, req) : reviewRequestReplies[asked.reason];
}

async function credit(o: OffersContext, req: Request): Promise<Reply> {
  const credit = await creditIfDeleted(o, req);
  if (credit === null) return portalReplies['not-found'];
  const { offer, status, creditMinor, creditedMinor, asOf } = credit;
  return {
    status: 200,
    body: {
      offer_id: offer.offerId,
      offer_status: status,
      currency: offer.currency,
      cost_minor: `${offer.netMinor}`,
      credit_minor: `${creditMinor}`,
      credited_minor: `${creditedMinor}`,
      as_of_datetime: asOf.toISOString(),
    } satisfies OfferCreditReply,
  };
}

async function series(o: OffersContext, req: Request): Promise<Reply> {
  const series = await zonedSeries(o, req);
  return typeof series === 'string' ? portalReplies[series] : { status: 200, body: series };
}

async function simulate(o: OffersContext, req: Request): Promise<Reply> {
  const reference = referenceOf(req);
  // LIVE offers have no simulated traffic, whatever path or body says.
  if (reference === null || reference.mode !== 'TEST') return portalReplies['not-found'];
  const traffic = validInput(simulatedTraffic, req.body);
  const timing = { now: await nowOf(o, req), deadline: timingOf(req).deadline };
  const outcome = await addSimulatedTraffic(o, reference, traffic, timing);
  if (!outcome.ok) return replyToSimulationRefusal(outcome);
  const body: SimulatedTrafficReply = { offer_id: reference.offerId, metrics: outcome.total };
  return { status: 200, body };
}
