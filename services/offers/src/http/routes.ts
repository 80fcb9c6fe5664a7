/** The endpoints of the public API that offers serves, called with the signed caller context. */

import {
  type AnalyticsSeriesReply,
  analyticsIntervals,
  type CreditEstimateReply,
  checkPeriod,
  type ListReply,
  type OfferReply,
  seriesQuery,
} from '@offer-ads/contracts/public/api';
import { amountInJson } from '@offer-ads/contracts/values/currencies';
import { callerOf, requireCaller } from '@offer-ads/platform/calls/caller-context';
import { uploadRoom } from '@offer-ads/platform/http/upload-room';
import { type Express, type Request, Router } from 'express';
import { listCategories, listInterests } from '../catalogue-store.ts';
import type { OffersContext } from '../context.ts';
import { readListingQuery } from '../domain/listing-query.ts';
import { statusAt } from '../domain/offer.ts';
import { analyticsPeriod } from '../domain/traffic/analytics-period.ts';
import { findListedOffer, listOffers } from '../listing/listing-store.ts';
import { findOffer } from '../offers-store.ts';
import { sumTraffic } from '../traffic/traffic-store.ts';
import { type Command, commands } from './change-each.ts';
import { create } from './create-route.ts';
import { edit } from './edit-route.ts';
import { changeGroup, deleteGroup, showGroup } from './group-routes.ts';
import { listedOffer, offerWithActions, pagination } from './listed-offers.ts';
import { GREATEST_HELD_BYTES } from './multipart.ts';
import { askedPeriod, creditIfDeleted, trafficSeries } from './offer-figures.ts';
import { callOf, findOwn, nowOf, referenceOf } from './own-offer.ts';
import {
  analyticsReplies,
  creditEstimateReplies,
  offerReplies,
  type Reply,
  replyToListRefusal,
  send,
  seriesReplies,
} from './replies.ts';

/** The sum of all running uploads: twelve of the largest size. Each is copied once, so they briefly take twice this, of 512 MB. */
const MAX_UPLOAD_BYTES = 64 * 1_024 * 1_024;

export function mountOfferRoutes(app: Express, o: OffersContext): void {
  const routes = Router();
  const caller = requireCaller({ secret: o.contextSecret, audience: 'offers', clock: o.clock });

  routes.get('/categories', caller, async (req, res) => {
    res.json({ categories: await listCategories(o.postgres, callerOf(req).organisationId) });
  });
  routes.get('/interests', caller, async (_req, res) => {
    res.json({ interests: await listInterests(o.postgres) });
  });
  const room = uploadRoom({
    maxBytes: MAX_UPLOAD_BYTES,
    largestBytes: GREATEST_HELD_BYTES,
    senderOf: (req) => callerOf(req).organisationId,
  });
  routes.post('/offers', caller, room, async (req, res) => send(res, await create(o, req, 'offer')));
  routes.get('/offers', caller, async (req, res) => send(res, await list(o, req)));
  routes.get('/offers/:offer_id', caller, async (req, res) => send(res, await show(o, req)));
  routes.patch('/offers/:offer_id', caller, room, async (req, res) => send(res, await edit(o, req, 'offer')));
  routes.post('/offers/:offer_id/pause', caller, async (req, res) =>
    send(res, await command(o, req, commands.pause, 'S1')),
  );
  routes.post('/offers/:offer_id/resume', caller, async (req, res) =>
    send(res, await command(o, req, commands.resume, 'S2')),
  );
  routes.delete('/offers/:offer_id', caller, async (req, res) =>
    send(res, await command(o, req, commands.delete, 'S1')),
  );
  routes.post('/offer-groups', caller, room, async (req, res) => send(res, await create(o, req, 'group')));
  routes.get('/offer-groups/:group_id', caller, async (req, res) => send(res, await showGroup(o, req)));
  routes.patch('/offer-groups/:group_id', caller, room, async (req, res) =>
    send(res, await edit(o, req, 'group')),
  );
  routes.post('/offer-groups/:group_id/pause', caller, async (req, res) =>
    send(res, await changeGroup(o, req, commands.pause)),
  );
  routes.post('/offer-groups/:group_id/resume', caller, async (req, res) =>
    send(res, await changeGroup(o, req, commands.resume)),
  );
  routes.delete('/offer-groups/:group_id', caller, async (req, res) => send(res, await deleteGroup(o, req)));
  routes.get('/offers/:offer_id/analytics', caller, async (req, res) => send(res, await analytics(o, req)));
  routes.get('/offers/:offer_id/analytics/series', caller, async (req, res) =>
    send(res, await series(o, req)),
  );
  routes.post('/offers/:offer_id/credit-estimate', caller, async (req, res) =>
    send(res, await creditEstimate(o, req)),
  );
  app.use(routes);
}

async function list(o: OffersContext, req: Request): Promise<Reply> {
  const caller = callerOf(req);
  const read = readListingQuery(req.query, caller.mode);
  if (!read.ok) return replyToListRefusal(read, caller.mode);
  const now = await nowOf(o, req);
  const page = await listOffers(o.postgres, caller, read.query, now);
  const data = page.offers.map(listedOffer(o, now));
  return { status: 200, body: { data, pagination: pagination(page, read.query) } satisfies ListReply };
}

async function show(o: OffersContext, req: Request): Promise<Reply> {
  const offer = await findOwn(o, req, findListedOffer);
  if (offer === null) return offerReplies['not-found'];
  const body = offerWithActions(o, await nowOf(o, req))(offer);
  return { status: 200, body: body satisfies OfferReply };
}

/** A command on one offer: the refusal in its table of codes, or its success. */
async function command<Refusal extends string>(
  o: OffersContext,
  req: Request,
  { change, replies, done }: Command<Refusal | 'not-found'>,
  success: 'S1' | 'S2',
): Promise<Reply> {
  const reference = referenceOf(req);
  if (reference === null) return replies['not-found'];
  const outcome = await change(o, reference, callOf(req));
  return outcome.ok
    ? { status: 200, body: { return_code: success, message: done } }
    : replies[outcome.reason];
}

async function analytics(o: OffersContext, req: Request): Promise<Reply> {
  const interval = analyticsIntervals.find((known) => known === req.query.interval);
  if (interval === undefined) return analyticsReplies['unknown-interval'];
  const offer = await findOwn(o, req, findOffer);
  if (offer === null) return analyticsReplies['not-found'];
  const now = await nowOf(o, req);
  const period = analyticsPeriod(interval, offer.createdAt, now);
  return {
    status: 200,
    body: {
      offer_id: offer.offerId,
      interval,
      start_datetime: period.from.toISOString(),
      end_datetime: period.to.toISOString(),
      status: statusAt(offer, now),
      metrics: await sumTraffic(o.postgres, offer.offerId, period),
    },
  };
}

const checkedSeriesQuery = seriesQuery.superRefine(checkPeriod);

async function series(o: OffersContext, req: Request): Promise<Reply> {
  const query = checkedSeriesQuery.safeParse(req.query);
  if (!query.success) return seriesReplies['invalid-query'];
  const { granularity, ...asked } = query.data;
  const read = await trafficSeries(o, req, askedPeriod(asked), granularity);
  if (read === null) return seriesReplies['not-found'];
  if (read === 'not-begun') return seriesReplies['invalid-query'];
  const { points, ...figures } = read;
  return {
    status: 200,
    body: { ...figures, granularity, points } satisfies AnalyticsSeriesReply,
  };
}

async function creditEstimate(o: OffersContext, req: Request): Promise<Reply> {
  const credit = await creditIfDeleted(o, req);
  if (credit === null) return creditEstimateReplies['not-found'];
  const { offer, status, creditMinor, asOf } = credit;
  return {
    status: 200,
    body: {
      return_code: 'S1',
      offer_id: offer.offerId,
      status,
      currency: offer.currency,
      cost: amountInJson(offer.netMinor, offer.currency),
      estimated_credit: amountInJson(creditMinor, offer.currency),
      as_of_datetime: asOf.toISOString(),
    } satisfies CreditEstimateReply,
  };
}
