/** The report of a week (Monday to Sunday, UTC): what the LIVE offers of an organisation brought, and what they cost. */
import type { EventData } from '@offer-ads/contracts/events/event-declaration';
import { MAX_REPORTED, type WeekEnded } from '@offer-ads/contracts/events/offers';
import { DAY_MS } from '@offer-ads/contracts/values/durations';
import { divideHalfUp } from '@offer-ads/contracts/values/rounding';
import { sum } from '@offer-ads/contracts/values/sum';
import { ranMs } from './lifecycle/unused-time.ts';
import { type Offer, titleWithPlace } from './offer.ts';
import type { Period } from './traffic/analytics-period.ts';
import type { Traffic } from './traffic/traffic.ts';

/** A Monday before the first report. */
const FIRST_MONDAY_MS = Date.UTC(2001, 0, 1);
const WEEK_MS = 7 * DAY_MS;
/** People read it when they come to work. */
const HOUR_OF_REPORT_MS = 6 * 3_600_000;

/** The week whose report is due: from Monday 06:00 (UTC) until the end of that day. Null: none is. Later it would be no news. */
export function weekToReport(now: Date): Period | null {
  const sinceMonday = (now.getTime() - FIRST_MONDAY_MS) % WEEK_MS;
  if (sinceMonday < HOUR_OF_REPORT_MS || sinceMonday >= DAY_MS) return null;
  const monday = now.getTime() - sinceMonday;
  return { from: new Date(monday - WEEK_MS), to: new Date(monday) };
}

type Reported = Omit<EventData<typeof WeekEnded>, 'organisationId' | 'mode'>;

/**
 * Null if nothing ran in the week.
 * @param offers of one organisation in LIVE mode, whose currency never changes
 * @param trafficOf their views and clicks in the week
 */
export function reportOf(
  offers: readonly Offer[],
  week: Period,
  trafficOf: (offerId: number) => Traffic,
): Reported | null {
  const { from, to } = week;
  const ran = offers
    .map((offer) => ({ offer, ms: ranMs(offer, to, week), ...trafficOf(offer.offerId) }))
    .filter(({ ms }) => ms > 0)
    .map(({ offer, ms, views, clicks }) => ({ offer, views, clicks, cost: costOf(offer, ms) }))
    .toSorted((a, b) => b.views - a.views || b.clicks - a.clicks || b.offer.offerId - a.offer.offerId);
  const [first] = ran;
  if (first === undefined) return null;
  return {
    currency: first.offer.currency,
    from: from.toISOString(),
    to: to.toISOString(),
    offers: ran.slice(0, MAX_REPORTED).map(({ offer, views, clicks, cost }) => ({
      offerId: offer.offerId,
      title: titleWithPlace(offer),
      views,
      clicks,
      costMinor: `${cost}`,
    })),
    moreOffers: Math.max(0, ran.length - MAX_REPORTED),
    total: {
      views: ran.reduce((total, { views }) => total + views, 0),
      clicks: ran.reduce((total, { clicks }) => total + clicks, 0),
      costMinor: `${sum(ran.map(({ cost }) => cost))}`,
    },
  };
}

/** The part of the price for the time that ran, to whole minor units, a half upwards: what did not run is credited. */
function costOf({ netMinor, startAt, expiryAt }: Offer, ms: number): bigint {
  return divideHalfUp(netMinor * BigInt(ms), BigInt(expiryAt.getTime() - startAt.getTime()));
}
