/** Results of an organisation in a period, as the first page of the portal shows them. */

import type { ResultsReply } from '@offer-ads/contracts/portal/offers-api';
import { MAX_BEST } from '@offer-ads/contracts/public/api';
import { type DayRange, daysIn } from '@offer-ads/contracts/values/day-range';
import { DAY_MS } from '@offer-ads/contracts/values/durations';
import type { Postgres } from '@offer-ads/platform/postgres/postgres';
import { statusAt } from '../domain/offer.ts';
import { type Period, wholeHour } from '../domain/traffic/analytics-period.ts';
import { bucketsIn, periodOfDays, pointsOf, shownPoints, sumOf } from '../domain/traffic/traffic-series.ts';
import { readForPortal } from '../listing/portal-listing-store.ts';
import type { Owner } from '../offers-store.ts';
import { sumTrafficOfOrganisation } from '../traffic/traffic-store.ts';
import { bestOffers, countOffersNow } from './results-store.ts';
import { spendIn } from './spend-store.ts';

type Wish = {
  /** So many days until now, or days of the time zone. */
  readonly asked: number | DayRange;
  readonly timeZone: string;
};
type Times = {
  /** The time of the caller's offers, by which views and clicks count. */
  readonly now: Date;
  /** The real time, by which money is booked. */
  readonly realNow: Date;
};

/** Null: the first of the days has not begun. */
export async function readResults(
  db: Postgres,
  owner: Owner & { readonly currency: string },
  { asked, timeZone }: Wish,
  { now, realNow }: Times,
): Promise<ResultsReply | null> {
  const periods = typeof asked === 'number' ? periodsOf(asked, now) : periodsOfDays(asked, timeZone, now);
  if (periods === null) return null;
  const { current, before, days } = periods;
  // TEST offers may be ahead of the real time.
  const booked = ({ from, to }: Period): Period => {
    const aheadMs = now.getTime() - realNow.getTime();
    return { from: new Date(from.getTime() - aheadMs), to: new Date(to.getTime() - aheadMs) };
  };
  const buckets = bucketsIn(current, timeZone, 'day');
  // In one transaction, so that a visit takes one connection.
  const [counted, countedBefore, offers, best, spend, spendBefore] = await db.transaction((tx) =>
    Promise.all([
      sumTrafficOfOrganisation(tx, owner, current, buckets.starts),
      sumTrafficOfOrganisation(tx, owner, before, [before.from]),
      countOffersNow(tx, owner, now),
      bestOffers(tx, owner, current, MAX_BEST),
      spendIn(tx, owner, booked(current)),
      spendIn(tx, owner, booked(before)),
    ]),
  );
  const points = pointsOf(buckets, current, counted);
  const shown = await readForPortal(
    db,
    best.map(({ offerId }) => offerId),
  );
  const figures = (traffic: { views: number; clicks: number }, minor: bigint | null) => ({
    views: traffic.views,
    clicks: traffic.clicks,
    spend_minor: minor === null ? null : `${minor}`,
  });
  return {
    days,
    time_zone: timeZone,
    start_datetime: current.from.toISOString(),
    end_datetime: current.to.toISOString(),
    currency: owner.currency,
    offers: { ...offers.counts, are_more: offers.areMore, total: offers.hasAny ? 'some' : 'none' },
    current: figures(sumOf(points), spend),
    before: figures(countedBefore.get(0) ?? { views: 0, clicks: 0 }, spendBefore),
    bucket_seconds: buckets.bucketMs / 1_000,
    points: shownPoints(points),
    best: shown.map((offer) => {
      const { views, clicks } = best.find(({ offerId }) => offerId === offer.offerId) ?? offer;
      return {
        offer_id: offer.offerId,
        title: offer.title,
        place_label: offer.placeLabel,
        offer_status: statusAt(offer, now),
        status: offer.disabledSince === null ? 'enabled' : 'disabled',
        views,
        clicks,
        spend_minor: `${offer.spendMinor}`,
      };
    }),
  };
}

type Periods = { readonly days: number; readonly current: Period; readonly before: Period };

/** The same number of days before. */
function periodsOfDays(asked: DayRange, timeZone: string, now: Date): Periods | null {
  const days = daysIn(asked);
  const current = periodOfDays(asked, timeZone, now);
  const before = periodOfDays(asked, timeZone, now, days);
  return current && before && { days, current, before };
}

/** Both begin at a full hour, because views and clicks are kept by hours. The hour that is not over yet belongs to the current period. */
function periodsOf(days: number, now: Date): Periods {
  const from = new Date(wholeHour(now).getTime() - days * DAY_MS);
  return {
    days,
    current: { from, to: now },
    // The hour in which the current period begins is not part of this one.
    before: { from: new Date(from.getTime() - days * DAY_MS), to: new Date(from.getTime() - 1) },
  };
}
