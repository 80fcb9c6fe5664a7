/** Results of an organisation in the last days: what its first page in the portal shows. */

import type { ResultsReply } from '@offer-ads/contracts/portal/offers-api';
import { DAY_MS } from '@offer-ads/contracts/values/durations';
import type { Postgres } from '@offer-ads/platform/postgres/postgres';
import { statusAt } from '../domain/offer.ts';
import { type Period, wholeHour } from '../domain/traffic/analytics-period.ts';
import { type Buckets, daysIn, pointsOf, shownPoints, sumOf } from '../domain/traffic/traffic-series.ts';
import { readForPortal } from '../listing/portal-listing-store.ts';
import type { Owner } from '../offers-store.ts';
import { sumTrafficOfOrganisation } from '../traffic/traffic-store.ts';
import { bestOffers, countOffersNow } from './results-store.ts';
import { spendIn } from './spend-store.ts';

const BEST = 5;

type Wish = { readonly days: 7 | 30; readonly timeZone: string };
type Times = {
  /** The time of the caller's offers, by which views and clicks count. */
  readonly now: Date;
  /** The real time, by which money is booked. */
  readonly realNow: Date;
};

export async function readResults(
  db: Postgres,
  owner: Owner & { readonly currency: string },
  { days, timeZone }: Wish,
  { now, realNow }: Times,
): Promise<ResultsReply> {
  const { current, before } = periodsOf(days, now);
  const money = periodsOf(days, realNow);
  const starts = daysIn(current, timeZone).map(({ start }) => start);
  const buckets: Buckets = { starts, bucketMs: DAY_MS };
  // In one transaction, so that a visit takes one connection.
  const [counted, countedBefore, offers, best, spend, spendBefore] = await db.transaction((tx) =>
    Promise.all([
      sumTrafficOfOrganisation(tx, owner, current, starts),
      sumTrafficOfOrganisation(tx, owner, before, [before.from]),
      countOffersNow(tx, owner, now),
      bestOffers(tx, owner, current, BEST),
      spendIn(tx, owner, money.current),
      spendIn(tx, owner, money.before),
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
    points: shownPoints(points),
    best: shown.map((offer) => {
      const { views, clicks } = best.find(({ offerId }) => offerId === offer.offerId) ?? offer;
      return {
        offer_id: offer.offerId,
        title: offer.title,
        offer_status: statusAt(offer, now),
        status: offer.disabledSince === null ? 'enabled' : 'disabled',
        views,
        clicks,
        spend_minor: `${offer.spendMinor}`,
      };
    }),
  };
}

/** Both begin at a full hour, because views and clicks are kept by hours. The hour that is not over yet belongs to the current period. */
export function periodsOf(days: number, now: Date): { readonly current: Period; readonly before: Period } {
  const from = new Date(wholeHour(now).getTime() - days * DAY_MS);
  return {
    current: { from, to: now },
    // The hour in which the current period begins is not part of this one.
    before: { from: new Date(from.getTime() - days * DAY_MS), to: new Date(from.getTime() - 1) },
  };
}
