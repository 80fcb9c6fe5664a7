/** The specification's endpoints that offers serves, called with the signed caller context. */

import type { ListReply } from '@offer-ads/contracts/public/api';
import { type AnalyticsInterval, analyticsIntervals } from '@offer-ads/contracts/public/api';
import { callerOf, requireCaller } from '@offer-ads/platform/calls/caller-context';
import { requestFacts } from '@offer-ads/platform/http/request';
import { uploadRoom } from '@offer-ads/platform/http/upload-room';
import { type Express, type Request, Router } from 'express';
import { listCategories, listInterests } from '../catalogue-store.ts';
import type { OffersContext } from '../context.ts';
import { effectiveAt } from '../domain/lifecycle/lifecycle.ts';
import { readListingQuery } from '../domain/listing-query.ts';
import { statusAt } from '../domain/offer.ts';
import { parseId } from '../domain/offer-id.ts';
import { analyticsPeriod } from '../domain/traffic/analytics-period.ts';
import { pauseOffer, resumeOffer } from '../lifecycle/change-offer.ts';
import { deleteOffer } from '../lifecycle/delete-offer.ts';
import { listOffers } from '../listing/listing-store.ts';
import { findOffer, type OfferReference } from '../offers-store.ts';
import { sumTraffic } from '../traffic/traffic-store.ts';
import { createRoute } from './create-route.ts';
import { listedOffer, pagination } from './listed-offers.ts';
import { GREATEST_HELD_BYTES } from './multipart.ts';
import {
  analyticsReplies,
  deleteReplies,
  pauseReplies,
  type Reply,
  replyToListRefusal,
  resumeReplies,
} from './replies.ts';
import { send } from './send.ts';

/** The sum of all running uploads: twelve of the largest size. Each is copied once, so they briefly take twice this, of 512 MB. */
const MOST_UPLOAD_BYTES = 64 * 1_024 * 1_024;

export function mountOfferRoutes(app: Express, o: OffersContext & { contextSecret: string }): void {
  const routes = Router();
  const caller = requireCaller({ secret: o.contextSecret, audience: 'offers', clock: o.clock });

  routes.get('/categories', caller, async (req, res) => {
    res.json({ categories: await listCategories(o.postgres, callerOf(req).organisationId) });
  });
  routes.get('/interests', caller, async (_req, res) => {
    res.json({ interests: await listInterests(o.postgres) });
  });
  const room = uploadRoom({ mostBytes: MOST_UPLOAD_BYTES, largestBytes: GREATEST_HELD_BYTES });
  routes.post('/offers', caller, room, createRoute(o));
  routes.get('/offers', caller, async (req, res) => {
    send(res, await list(o, req));
  });
  routes.post('/offers/:offer_id/pause', caller, async (req, res) => {
    send(res, await pause(o, req));
  });
  routes.post('/offers/:offer_id/resume', caller, async (req, res) => {
    send(res, await resume(o, req));
  });
  routes.delete('/offers/:offer_id', caller, async (req, res) => {
    send(res, await remove(o, req));
  });
  routes.get('/offers/:offer_id/analytics', caller, async (req, res) => {
    send(res, await analytics(o, req));
  });
  app.use(routes);
}

async function list(o: OffersContext, req: Request): Promise<Reply> {
  const caller = callerOf(req);
  const { receivedAt } = requestFacts(req);
  const read = readListingQuery(req.query, caller.mode);
  if (!read.ok) return replyToListRefusal(read, caller.mode);
  const page = await listOffers(o.postgres, caller, read.query, receivedAt);
  const data = page.offers.map(listedOffer(o, receivedAt));
  return { status: 200, body: { data, pagination: pagination(page, read.query) } satisfies ListReply };
}

async function pause(o: OffersContext, req: Request): Promise<Reply> {
  const reference = referenceOf(req);
  if (reference === null) return pauseReplies['not-found'];
  const facts = requestFacts(req);
  const paused = await pauseOffer(o, reference, facts.receivedAt, facts.deadline());
  return paused.ok ? success('S1', 'Offer has been paused') : pauseReplies[paused.reason];
}

async function resume(o: OffersContext, req: Request): Promise<Reply> {
  const reference = referenceOf(req);
  if (reference === null) return resumeReplies['not-found'];
  const facts = requestFacts(req);
  const resumed = await resumeOffer(o, reference, facts.receivedAt, facts.deadline());
  return resumed.ok ? success('S2', 'Offer has been resumed') : resumeReplies[resumed.reason];
}

async function remove(o: OffersContext, req: Request): Promise<Reply> {
  const reference = referenceOf(req);
  if (reference === null) return deleteReplies['not-found'];
  const facts = requestFacts(req);
  const call = { caller: callerOf(req), requestId: facts.requestId, deadline: facts.deadline() };
  const deleted = await deleteOffer(o, call, reference, facts.receivedAt);
  return deleted.ok ? success('S1', 'Offer has been deleted') : deleteReplies[deleted.reason];
}

async function analytics(o: OffersContext, req: Request): Promise<Reply> {
  const interval = analyticsIntervals.find((known) => known === req.query.interval);
  if (interval === undefined) return analyticsReplies['unknown-interval'];
  const reference = referenceOf(req);
  const offer = reference === null ? null : await findOffer(o.postgres, reference);
  if (offer === null) return analyticsReplies['not-found'];
  const { receivedAt } = requestFacts(req);
  const period = analyticsPeriod(interval satisfies AnalyticsInterval, offer.createdAt, receivedAt);
  return {
    status: 200,
    body: {
      offer_id: offer.offerId,
      interval,
      start_datetime: period.from.toISOString(),
      end_datetime: period.to.toISOString(),
      status: statusAt(offer, effectiveAt(offer, receivedAt)),
      metrics: await sumTraffic(o.postgres, offer.offerId, period),
    },
  };
}

/** Null if the path contains no valid id; the answer is the same as for another organisation's offer (decision 20, offers not found). */
export function referenceOf(req: Request): OfferReference | null {
  const offerId = parseId(String(req.params.offer_id));
  const { organisationId, mode } = callerOf(req);
  return offerId === undefined ? null : { offerId, organisationId, mode };
}

function success(returnCode: 'S1' | 'S2', message: string): Reply {
  return { status: 200, body: { return_code: returnCode, message } };
}
