/** Figures of one offer, for the public API and for the portal. Null: the caller has no such offer. */
import type { AnalyticsInterval, AnalyticsSeriesReply } from '@offer-ads/contracts/public/api';
import type { OfferStatus } from '@offer-ads/contracts/values/primitives';
import type { Request } from 'express';
import type { OffersContext } from '../context.ts';
import { unusedTimeIfDeleted } from '../domain/lifecycle/deletion-credit.ts';
import { unusedTime } from '../domain/lifecycle/unused-time.ts';
import { type Offer, statusAt } from '../domain/offer.ts';
import { type AskedPeriod, analyticsPeriod, type Period } from '../domain/traffic/analytics-period.ts';
import {
  bucketsIn,
  type Granularity,
  periodOfDays,
  pointsOf,
  shownPoints,
  sumOf,
} from '../domain/traffic/traffic-series.ts';
import { findOffer, findOfferOrDeleted } from '../offers-store.ts';
import { sumTrafficFrom } from '../traffic/traffic-store.ts';
import { statusOf } from './listed-offers.ts';
import { callOf, findOwn, nowOf } from './own-offer.ts';

export type CreditIfDeleted = {
  readonly offer: Offer;
  readonly status: OfferStatus;
  readonly creditMinor: bigint;
  /** Before, for example for time before the payment. */
  readonly creditedMinor: bigint;
  readonly asOf: Date;
};

/** Billing has the price paid and the sum credited; offers has the Unused Time. */
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

/** Of a query that was checked. */
export function askedPeriod({
  interval,
  from,
  to,
}: {
  readonly interval?: AnalyticsInterval | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}): AskedPeriod {
  if (interval !== undefined) return interval;
  if (from === undefined || to === undefined) throw new Error('the query was not checked');
  return { from, to };
}

type Series = Omit<AnalyticsSeriesReply, 'granularity'>;

/** In UTC. */
export async function trafficSeries(
  o: OffersContext,
  req: Request,
  asked: AskedPeriod,
  granularity: Granularity,
): Promise<Series | 'not-begun' | null> {
  const offer = await findOwn(o, req, findOffer);
  return offer && seriesOf(o, req, offer, asked, { timeZone: 'UTC', granularity });
}

/** For the portal: the points are days and weeks of a time zone, and deleted offers have them too. */
export async function zonedSeries(
  o: OffersContext,
  req: Request,
  asked: AskedPeriod,
  timeZone: string,
): Promise<Series | 'not-begun' | null> {
  const offer = await findOwn(o, req, findOfferOrDeleted);
  return offer && seriesOf(o, req, offer, asked, { timeZone, granularity: 'hour' });
}

async function seriesOf(
  o: OffersContext,
  req: Request,
  offer: Offer,
  asked: AskedPeriod,
  { timeZone, granularity }: { readonly timeZone: string; readonly granularity: Granularity },
): Promise<Series | 'not-begun'> {
  const isInterval = typeof asked === 'string';
  const now = (isInterval ? offer.deletedAt : null) ?? (await nowOf(o, req));
  const period: Period | null = isInterval
    ? analyticsPeriod(asked, offer.createdAt, now)
    : periodOfDays(asked, timeZone, now);
  if (period === null) return 'not-begun';
  const buckets = bucketsIn(period, timeZone, granularity);
  const counted = await sumTrafficFrom(o.postgres, offer.offerId, period, buckets.starts);
  const points = pointsOf(buckets, period, counted);
  return {
    offer_id: offer.offerId,
    interval: isInterval ? asked : null,
    start_datetime: period.from.toISOString(),
    end_datetime: period.to.toISOString(),
    status: statusOf(offer, now),
    metrics: sumOf(points),
    bucket_seconds: buckets.bucketMs / 1_000,
    points: shownPoints(points),
  };
}
