/** Figures of offers, for the public API and for the portal. */
import { type ResultsReply, type SeriesReply, seriesQuery } from '@offer-ads/contracts/portal/offers-api';
import type { AnalyticsInterval, OfferResultsReply } from '@offer-ads/contracts/public/api';
import { costPer } from '@offer-ads/contracts/values/cost-per';
import { amountInJson } from '@offer-ads/contracts/values/currencies';
import type { DayRange } from '@offer-ads/contracts/values/day-range';
import type { OfferStatus } from '@offer-ads/contracts/values/primitives';
import { callerOf } from '@offer-ads/platform/calls/caller-context';
import { requestFacts } from '@offer-ads/platform/http/request';
import { validInput } from '@offer-ads/platform/http/valid-input';
import type { Queryable } from '@offer-ads/platform/postgres/postgres';
import type { Request } from 'express';
import type { OffersContext } from '../context.ts';
import { unusedTimeIfDeleted } from '../domain/lifecycle/deletion-credit.ts';
import { ranMs, unusedTime } from '../domain/lifecycle/unused-time.ts';
import { type Offer, statusAt } from '../domain/offer.ts';
import { analyticsPeriod, type Period } from '../domain/traffic/analytics-period.ts';
import {
  bucketsIn,
  type Granularity,
  periodOfDays,
  pointsOf,
  shownPoints,
  sumOf,
} from '../domain/traffic/traffic-series.ts';
import { findForPortal } from '../listing/portal-listing-store.ts';
import { findOffer } from '../offers-store.ts';
import { readResults } from '../results/read-results.ts';
import { sumTrafficFrom } from '../traffic/traffic-store.ts';
import { statusOf } from './listed-offers.ts';
import { callOf, findOffersOf, findOwn, nowOf } from './own-offer.ts';

export type CreditIfDeleted = {
  readonly offer: Offer;
  readonly status: OfferStatus;
  readonly creditMinor: bigint;
  /** Before, for example for time before the payment. */
  readonly creditedMinor: bigint;
  readonly asOf: Date;
};

/** Billing has the price paid and the sum credited; offers has the Unused Time. Null: the caller has no such offer. */
export async function creditIfDeleted(o: OffersContext, req: Request): Promise<CreditIfDeleted | null> {
  const offer = await findOwn(o, req, findOffer);
  if (offer === null) return null;
  const now = await nowOf(o, req);
  const unused = unusedTimeIfDeleted(offer, now);
  const { creditMinor, creditedMinor } =
    unused === null
      ? { creditMinor: '0', creditedMinor: '0' }
      : await o.otherServices.previewCredit(callOf(req), offer.offerId, unused);
  const status = statusAt(offer, now);
  return { offer, status, creditMinor: BigInt(creditMinor), creditedMinor: BigInt(creditedMinor), asOf: now };
}

/** What a deleted offer gives back in all. Billing books it in the moment after the deletion, so what is still due counts. */
export async function creditOfDeleted(o: OffersContext, req: Request, offer: Offer): Promise<bigint> {
  const call = callOf(req);
  const unused = unusedTime(offer, offer.deletedAt ?? call.receivedAt);
  const credit = await o.otherServices.previewCredit(call, offer.offerId, unused);
  return BigInt(credit.creditMinor) + BigInt(credit.creditedMinor);
}

/** What one offer has brought for its price. Deleted offers have none. Null: the caller has no such offer. */
export async function offerResults(o: OffersContext, req: Request): Promise<OfferResultsReply | null> {
  const offer = await findOwn(o, req, findForPortal);
  if (offer === null || offer.deletedAt !== null) return null;
  const now = await nowOf(o, req);
  const { currency, spendMinor, views, clicks } = offer;
  const amount = (minor: bigint) => amountInJson(minor, currency);
  const cost = (count: number, per?: number) => {
    const minor = costPer(spendMinor, count, per);
    return minor === null ? null : amount(minor);
  };
  return {
    offer_id: offer.offerId,
    status: statusOf(offer, now),
    currency,
    matching_users: offer.matchingUsers,
    cost: amount(offer.netMinor),
    spent: amount(spendMinor),
    views,
    clicks,
    cost_per_click: cost(clicks),
    cost_per_thousand_views: cost(views, 1_000),
    bought_seconds: Math.floor((offer.expiryAt.getTime() - offer.startAt.getTime()) / 1_000),
    ran_seconds: Math.floor(ranMs(offer, now) / 1_000),
  };
}

/**
 * Of all offers of the caller, in days that the query names, or else the last ones. Null: the first day has not begun.
 * @param asked a query that was checked
 */
export async function resultsOf(
  o: OffersContext,
  req: Request,
  lastDays: number,
  asked: { from?: string | undefined; to?: string | undefined; time_zone?: string | undefined },
): Promise<ResultsReply | null> {
  const { from, to, time_zone: timeZone = 'UTC' } = asked;
  const times = { now: await nowOf(o, req), realNow: requestFacts(req).receivedAt };
  const days = from === undefined || to === undefined ? lastDays : { from, to };
  return readResults(o.postgres, callerOf(req), { asked: days, timeZone }, times);
}

type SeriesOptions = {
  /** Of a query that was checked. */
  readonly asked: { readonly [Field in keyof DayRange]?: string | undefined } & {
    readonly interval?: AnalyticsInterval | undefined;
  };
  readonly timeZone: string;
  readonly granularity: Granularity;
};

/** For the portal: the points are days and weeks of a time zone, and deleted offers have them too. */
export async function zonedSeries(
  o: OffersContext,
  req: Request,
): Promise<SeriesReply | 'not-begun' | 'not-found'> {
  const { time_zone: timeZone = 'UTC', ...asked } = validInput(seriesQuery, req.query);
  const offers = await findOffersOf(o, req);
  if (offers.length === 0) return 'not-found';
  const options = { asked, timeZone, granularity: 'hour' } as const;
  const series = await seriesOf(o.postgres, offers, await nowOf(o, req), options);
  return series === null ? 'not-begun' : { ...series, time_zone: timeZone };
}

/** Views and clicks over time: of one offer, or of all offers of a group together. Null: the first of the days has not begun. */
export async function seriesOf(
  db: Queryable,
  offers: readonly Pick<Offer, 'offerId' | 'createdAt' | 'deletedAt'>[],
  now: Date,
  { asked: { interval, from = '', to = '' }, timeZone, granularity }: SeriesOptions,
) {
  const createdAt = new Date(Math.min(...offers.map((offer) => offer.createdAt.getTime())));
  const end = new Date(Math.max(...offers.map(({ deletedAt }) => (deletedAt ?? now).getTime())));
  const period: Period | null =
    interval === undefined
      ? periodOfDays({ from, to }, timeZone, now)
      : analyticsPeriod(interval, createdAt, end);
  if (period === null) return null;
  const buckets = bucketsIn(period, timeZone, granularity);
  const ids = offers.map(({ offerId }) => offerId);
  const points = pointsOf(buckets, period, await sumTrafficFrom(db, ids, period, buckets.starts));
  return {
    interval: interval ?? null,
    start_datetime: period.from.toISOString(),
    end_datetime: period.to.toISOString(),
    metrics: sumOf(points),
    bucket_seconds: buckets.bucketMs / 1_000,
    points: shownPoints(points),
  };
}
