/** The endpoints of the public API that offers serves, called with the signed caller context. */

import {
  type AnalyticsSeriesReply,
  analyticsIntervals,
  type ChangesReply,
  type CreditEstimateReply,
  checkOptionalPeriod,
  checkPeriod,
  type ListReply,
  type OfferReply,
  type ResultsReply,
  resultsQuery,
  seriesQuery,
} from '@offer-ads/contracts/public/api';
import type { GroupSeriesReply } from '@offer-ads/contracts/public/groups-api';
import { amountInJson } from '@offer-ads/contracts/values/currencies';
import { callerOf, requireCaller } from '@offer-ads/platform/calls/caller-context';
import { uploadRoom } from '@offer-ads/platform/http/upload-room';
import { type Express, type Request, Router } from 'express';
import { listCategories, listInterests } from '../catalogue-store.ts';
import type { OffersContext } from '../context.ts';
import { readListingQuery, readPage, writeCursor } from '../domain/listing-query.ts';
import { statusAt } from '../domain/offer.ts';
import { analyticsPeriod, daysOf } from '../domain/traffic/analytics-period.ts';
import { listChanges } from '../lifecycle/changes-store.ts';
import { findListedOffer, listOffers } from '../listing/listing-store.ts';
import { findOffer } from '../offers-store.ts';
import { sumTraffic } from '../traffic/traffic-store.ts';
import { type Command, commands } from './change-each.ts';
import { create } from './create-route.ts';
import { edit } from './edit-route.ts';
import { changeGroup, deleteGroup, showGroup } from './group-routes.ts';
import { listedOffer, offerWithActions, pagination } from './listed-offers.ts';
import { GREATEST_HELD_BYTES } from './multipart.ts';
import { creditIfDeleted, offerResults, resultsOf, seriesOf } from './offer-figures.ts';
import { callOf, findOffersOf, findOwn, nowOf, referenceOf } from './own-offer.ts';
import {
  analyticsReplies,
  creditEstimateReplies,
  groupReplies,
  offerReplies,
  type Reply,
  replyToListRefusal,
  resultsReplies,
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
  for (const path of ['/offers/:offer_id', '/offer-groups/:group_id'])
    routes.get(`${path}/analytics/series`, caller, async (req, res) => send(res, await series(o, req)));
  routes.post('/offers/:offer_id/credit-estimate', caller, async (req, res) =>
    send(res, await creditEstimate(o, req)),
  );
  routes.get('/offers/:offer_id/results', caller, async (req, res) => {
    const body = await offerResults(o, req);
    send(res, body === null ? offerReplies['not-found'] : { status: 200, body });
  });
  routes.get('/offers/:offer_id/changes', caller, async (req, res) => send(res, await changes(o, req)));
  routes.get('/results', caller, async (req, res) => send(res, await results(o, req)));
  app.use(routes);
}

async function list(o: OffersContext, req: Request): Promise<Reply> {
  const caller = callerOf(req);
  const read = readListingQuery(req.query, caller.mode);
  if (!read.ok) return replyToListRefusal(read, caller.mode);
  const now = await nowOf(o, req);
  const page = await listOffers(o.postgres, caller, read.query, now);
  const next = page.next === null ? null : writeCursor(page.next);
  const body: ListReply = {
    data: page.offers.map(listedOffer(o, now)),
    pagination: pagination(read.query.limit, page.offers.length, next),
  };
  return { status: 200, body };
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
  const offers = await findOffersOf(o, req);
  const left = offers.find(({ deletedAt }) => deletedAt === null);
  const isOfGroup = 'group_id' in req.params;
  if (left === undefined) return (isOfGroup ? groupReplies : seriesReplies)['not-found'];
  const { offerId, groupId } = left;
  const now = await nowOf(o, req);
  const read = await seriesOf(o.postgres, offers, now, { asked, timeZone: 'UTC', granularity });
  if (read === null) return seriesReplies['invalid-query'];
  const { metrics, bucket_seconds, points, ...period } = read;
  const figures = { metrics, bucket_seconds, granularity, points };
  const status = statusAt(left, now);
  const body =
    isOfGroup && groupId !== null
      ? ({ group_id: groupId, ...period, ...figures } satisfies GroupSeriesReply)
      : ({ offer_id: offerId, ...period, status, ...figures } satisfies AnalyticsSeriesReply);
  return { status: 200, body };
}

const checkedResultsQuery = resultsQuery.superRefine(checkOptionalPeriod);

async function results(o: OffersContext, req: Request): Promise<Reply> {
  const query = checkedResultsQuery.safeParse(req.query);
  if (!query.success) return resultsReplies['invalid-query'];
  const { interval = '7d', ...asked } = query.data;
  const read = await resultsOf(o, req, daysOf(interval), asked);
  if (read === null) return resultsReplies['invalid-query'];
  const { days: _days, offers: _offers, best, current, before, ...others } = read;
  const amounts = ({ spend_minor: minor, ...traffic }: typeof current) => ({
    ...traffic,
    spent: minor === null ? null : amountInJson(BigInt(minor), read.currency),
  });
  const body: ResultsReply = {
    interval: asked.from === undefined ? interval : null,
    ...others,
    current: amounts(current),
    before: amounts(before),
    best_offers: best.map(({ offer_id, title, place_label, views, clicks }) => ({
      offer_id,
      title,
      place_label,
      views,
      clicks,
    })),
  };
  return { status: 200, body };
}

/** People are not named: Developers, who make keys, do not see them in the portal either (decision 265, who changed an offer). */
async function changes(o: OffersContext, req: Request): Promise<Reply> {
  const { keyId, mode } = callerOf(req);
  const read = readPage(req.query);
  if (!read.ok) return replyToListRefusal(read, mode);
  const offer = await findOwn(o, req, findOffer);
  if (offer === null) return offerReplies['not-found'];
  const { limit, before } = read.query;
  const page = await listChanges(o.postgres, offer.offerId, { before, limit });
  const authorOf = ({ by }: (typeof page.changes)[number]) => {
    if (by.kind !== 'api_key') return by.kind === 'staff' ? 'platform' : by.kind;
    return by.key_id === keyId ? 'this_key' : 'other_key';
  };
  const body: ChangesReply = {
    data: page.changes.map((change) => ({ ...change, by: authorOf(change) })),
    pagination: pagination(limit, page.changes.length, page.next === null ? null : String(page.next)),
  };
  return { status: 200, body };
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
