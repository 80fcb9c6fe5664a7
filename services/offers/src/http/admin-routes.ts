/** Internal routes for the platform's staff: offers, disable, enable and review, and the catalogue. */

import { switchRequest } from '@offer-ads/contracts/admin/api';
import {
  type AdminOffer,
  type AdminOfferReply,
  type AdminOffersReply,
  type AdminTestClock,
  adminOffersQuery,
  catalogueReplacement,
  disableOfferRequest,
  type ImageOffersReply,
  imageNamed,
  type NeglectedReply,
  type OffersExportReply,
  offersExportQuery,
  type ReviewsReply,
  reviewRequest,
  reviewsQuery,
} from '@offer-ads/contracts/admin/offers-api';
import { DAY_MS } from '@offer-ads/contracts/values/durations';
import { auditTarget } from '@offer-ads/platform/admin/audit';
import type { AdminGuard } from '@offer-ads/platform/admin/routes';
import { requestFacts } from '@offer-ads/platform/http/request';
import { validInput } from '@offer-ads/platform/http/valid-input';
import express, { type Express, type Request, type Response } from 'express';
import { readCatalogue, replaceCatalogue } from '../catalogue-store.ts';
import type { OffersContext } from '../context.ts';
import { unusedTime } from '../domain/lifecycle/unused-time.ts';
import { type ListingPlace, parseCursor, writeCursor } from '../domain/listing-query.ts';
import { type Offer, shownTexts, stateAt } from '../domain/offer.ts';
import { parseId } from '../domain/offer-id.ts';
import { STORE_MS } from '../images/guard.ts';
import { hashOf } from '../images/images.ts';
import { findImage, listShowing } from '../images/images-store.ts';
import { disableOffer, enableOffer, reviewOffer } from '../lifecycle/change-offer.ts';
import { findNeglected, searchOffers } from '../listing/search-store.ts';
import { findOfferForAdmin, pageOfWaiting } from '../offers-store.ts';
import { readTestClock } from '../test-clock/test-clock.ts';
import { nowIn, offerTimeOf } from '../test-clock/test-clock-store.ts';
import { type HourOfOffer, listHours, sumCounts } from '../traffic/traffic-store.ts';
import { sendPicture } from './image-route.ts';
import { timingOf } from './own-offer.ts';
import { paymentRoutes } from './payment-routes.ts';
import { adminReplies, imageReplies, type Reply, send } from './replies.ts';

const listingPage = adminOffersQuery.extend({
  cursor: adminOffersQuery.shape.cursor.refine(
    (cursor) => cursor === undefined || parseCursor(cursor) !== undefined,
    'must be the nextCursor of the page before',
  ),
});

const exportPage = offersExportQuery.extend({ cursor: listingPage.shape.cursor });
/** With the hours of each, a reply has some megabytes at most. */
const EXPORTED_AT_ONCE = 100;

/** Below this, chance alone gives half of it often. */
const LEAST_SHARE = 20;
const MOST_NEGLECTED = 500;

export function mountAdminRoutes(app: Express, o: OffersContext & { admin: AdminGuard }): void {
  const routes = express.Router();
  routes.use(o.admin(1024 * 1024));

  const answerChange = async (
    req: Request<{ offer_id: string }>,
    res: Response,
    changed: { readonly ok: true } | { readonly ok: false; readonly reason: keyof typeof adminReplies },
  ): Promise<void> => {
    if (!changed.ok) return send(res, adminReplies[changed.reason]);
    const reply = await show(o, req.params.offer_id, requestFacts(req).receivedAt);
    const { organisationId } = reply.body as Partial<AdminOfferReply>;
    auditTarget(req, { organisationId });
    send(res, reply);
  };

  routes.get('/offers', async (req, res) => {
    const { cursor, ...search } = validInput(listingPage, req.query);
    const page = { ...search, after: placeIn(cursor) };
    const { receivedAt } = requestFacts(req);
    const { offers, next } = await searchOffers(o.postgres, page, receivedAt);
    res.json({
      offers: await toAdminOffers(o, req, offers),
      nextCursor: next === null ? null : writeCursor(next),
    } satisfies AdminOffersReply);
  });
  routes.get('/offers/export', async (req, res) => {
    const { organisationId, deleted, cursor } = validInput(exportPage, req.query);
    const search = {
      organisationId,
      ...(deleted && { state: 'Deleted' as const }),
      after: placeIn(cursor),
      limit: EXPORTED_AT_ONCE,
    };
    const { receivedAt } = requestFacts(req);
    const { offers, next } = await searchOffers(o.postgres, search, receivedAt);
    const timeOf = await offerTimeOf(o.postgres, offers);
    const ids = offers.map(({ offerId }) => offerId);
    const hours = Map.groupBy(await listHours(o.postgres, ids), ({ offerId }) => offerId);
    res.json({
      offers: offers.map((offer) =>
        toExportedOffer(offer, timeOf(offer, receivedAt), hours.get(offer.offerId) ?? []),
      ),
      nextCursor: next === null ? null : writeCursor(next),
    } satisfies OffersExportReply);
  });
  routes.get('/offers/:offer_id', async (req, res) => {
    send(res, await show(o, req.params.offer_id, requestFacts(req).receivedAt));
  });
  routes.post('/offers/:offer_id/disable', async (req, res) => {
    const { reason } = validInput(disableOfferRequest, req.body);
    await answerChange(
      req,
      res,
      await disableOffer(o, parseId(req.params.offer_id) ?? 0, reason, timingOf(req)),
    );
  });
  routes.post('/offers/:offer_id/enable', async (req, res) => {
    validInput(switchRequest, req.body);
    await answerChange(req, res, await enableOffer(o, parseId(req.params.offer_id) ?? 0, timingOf(req)));
  });
  routes.get('/reviews', async (req, res) => send(res, await listWaiting(o, req)));
  routes.post('/offers/:offer_id/review', async (req, res) => {
    const { contentVersion } = validInput(reviewRequest, req.body);
    const offerId = parseId(req.params.offer_id) ?? 0;
    await answerChange(req, res, await reviewOffer(o, offerId, contentVersion, timingOf(req)));
  });
  routes.get('/test-clocks/:organisation_id', async (req, res) => {
    const { now, aheadSeconds } = await readTestClock(o, parseId(req.params.organisation_id) ?? 0);
    res.json({ now: now.toISOString(), aheadSeconds } satisfies AdminTestClock);
  });
  routes.get('/placements/neglected', async (req, res) => {
    const since = new Date(requestFacts(req).receivedAt.getTime() - DAY_MS);
    const offers = await findNeglected(o.postgres, {
      since,
      atLeastShare: LEAST_SHARE,
      atMost: MOST_NEGLECTED,
    });
    res.json({ offers } satisfies NeglectedReply);
  });
  routes.get('/catalogue', async (_req, res) => {
    res.json(await readCatalogue(o.postgres));
  });
  routes.put('/catalogue', async (req, res) => {
    const catalogue = validInput(catalogueReplacement, req.body);
    const replaced = await replaceCatalogue(o.postgres, catalogue, requestFacts(req).receivedAt);
    send(res, replaced.ok ? { status: 200, body: replaced.catalogue } : adminReplies[replaced.reason]);
  });
  routes.get('/images/:hash/offers', async (req, res) => {
    const { hash } = validInput(imageNamed, req.params);
    const offers = await listShowing(o.postgres, hash);
    res.json({ offers: await toAdminOffers(o, req, offers) } satisfies ImageOffersReply);
  });
  routes.get('/images/:hash', async (req, res) => {
    const { hash } = validInput(imageNamed, req.params);
    const name = await findImage(o.postgres, hash);
    const signal = requestFacts(req).deadline().whileAwaited().signal(STORE_MS);
    const picture = name === null ? null : await o.images.read(name, signal);
    if (name === null || picture === null) return send(res, imageReplies['not-found']);
    return sendPicture(res, { name, picture, cacheControl: 'no-store' });
  });
  paymentRoutes(routes, o);
  app.use('/admin', routes);
}

const reviewsPage = reviewsQuery.extend({ cursor: listingPage.shape.cursor });

async function listWaiting(o: OffersContext, req: Request): Promise<Reply> {
  const { mode, cursor, limit } = validInput(reviewsPage, req.query);
  const place = placeIn(cursor);
  const after = place && { since: place.createdAt, offerId: place.offerId };
  // One more shows whether another page follows.
  const found = await pageOfWaiting(o.postgres, { mode, after, limit: limit + 1 });
  const offers = found.slice(0, limit);
  const last = found.length > limit ? offers.at(-1) : undefined;
  const since = last?.reviewWaitingSince ?? null;
  return {
    status: 200,
    body: {
      offers: await toAdminOffers(o, req, offers),
      nextCursor:
        last === undefined || since === null
          ? null
          : writeCursor({ createdAt: since, offerId: last.offerId }),
    } satisfies ReviewsReply,
  };
}

async function show(o: OffersContext, offerId: string, receivedAt: Date): Promise<Reply> {
  const offer = await findOfferForAdmin(o.postgres, parseId(offerId) ?? 0);
  if (offer === null) return adminReplies['not-found'];
  const now = await nowIn(o.postgres, offer, receivedAt);
  const traffic = await sumCounts(o.postgres, offer.offerId, { from: offer.createdAt, to: now });
  return {
    status: 200,
    body: { ...toAdminOffer(offer, now), ...shownTexts(offer), traffic } satisfies AdminOfferReply,
  };
}

async function toAdminOffers(
  o: OffersContext,
  req: Request,
  offers: readonly Offer[],
): Promise<AdminOffer[]> {
  const { receivedAt } = requestFacts(req);
  const timeOf = await offerTimeOf(o.postgres, offers);
  return offers.map((offer) => toAdminOffer(offer, timeOf(offer, receivedAt)));
}

function toAdminOffer(offer: Offer, now: Date): AdminOffer {
  return {
    id: offer.offerId,
    organisationId: offer.organisationId,
    mode: offer.mode,
    createdBy: offer.createdBy,
    title: offer.title,
    url: offer.url,
    status: stateAt(offer, now),
    enabled: offer.disabledSince === null,
    paymentMethod: offer.paymentMethod,
    currency: offer.currency,
    netMinor: offer.netMinor.toString(),
    vatMinor: offer.vatMinor.toString(),
    paymentUrl: offer.paymentUrl,
    createdAt: offer.createdAt.toISOString(),
    startAt: offer.startAt.toISOString(),
    expiryAt: offer.expiryAt.toISOString(),
    paidAt: instantOf(offer.paidAt),
    paymentAppliedAt: instantOf(offer.paymentAppliedAt),
    pausedSince: instantOf(offer.pausedSince),
    disabledSince: instantOf(offer.disabledSince),
    disabledReason: offer.disabledReason,
    deletedAt: instantOf(offer.deletedAt),
    ...unusedTime(offer, now),
    contentVersion: offer.contentVersion,
    contentChangedAt: instantOf(offer.contentChangedAt),
    reviewWaitingSince: instantOf(offer.reviewWaitingSince),
    version: offer.version,
    imageHash: hashOf(offer.image),
  };
}

function toExportedOffer(offer: Offer, now: Date, hours: readonly HourOfOffer[]) {
  const { categoryId, latitude, longitude, radiusMiles } = offer;
  return {
    ...toAdminOffer(offer, now),
    ...shownTexts(offer),
    categoryId,
    latitude,
    longitude,
    radiusMiles,
    gender: [...offer.gender],
    interests: [...offer.interests],
    stops: offer.stops.map(({ from, to }) => ({ from: from.toISOString(), to: to.toISOString() })),
    traffic: hours.map(({ hour, views, clicks }) => ({ hour: hour.toISOString(), views, clicks })),
  };
}

/** Null: the first page. */
function placeIn(cursor: string | undefined): ListingPlace | null {
  return cursor === undefined ? null : (parseCursor(cursor) ?? null);
}

function instantOf(at: Date | null): string | null {
  return at?.toISOString() ?? null;
}
