/** CSV files of the portal: the list of offers, and the views and clicks of an offer or a group. The figures are those of the pages. */
import { MAX_CSV_ROWS, seriesQuery } from '@offer-ads/contracts/portal/offers-api';
import { costPer } from '@offer-ads/contracts/values/cost-per';
import { formatMinor } from '@offer-ads/contracts/values/currencies';
import { offerTextFacts, offerTexts } from '@offer-ads/contracts/values/offer-texts';
import { CSV_LIST } from '@offer-ads/contracts/values/places';
import type { OfferStatus } from '@offer-ads/contracts/values/primitives';
import { callerOf } from '@offer-ads/platform/calls/caller-context';
import { type CsvColumn, sendCsv } from '@offer-ads/platform/http/csv';
import { validInput } from '@offer-ads/platform/http/valid-input';
import type { Request, Response } from 'express';
import type { OffersContext } from '../context.ts';
import { readPortalQuery } from '../domain/portal-listing.ts';
import { type ExportedOffer, exportOffers } from '../listing/portal-listing-store.ts';
import { statusOf } from './listed-offers.ts';
import { zonedSeries } from './offer-figures.ts';
import { nowOf } from './own-offer.ts';
import { portalReplies, replyToListRefusal, send } from './replies.ts';

export async function offersCsv(o: OffersContext, req: Request, res: Response): Promise<void> {
  const caller = callerOf(req);
  const { limit: _limit, cursor: _cursor, sort: _sort, columns, ...filters } = req.query;
  const read = readPortalQuery(filters, caller.mode);
  if (!read.ok) return send(res, replyToListRefusal(read, caller.mode));
  const now = await nowOf(o, req);
  const offers = await exportOffers(o.postgres, caller, read.query, now, MAX_CSV_ROWS);
  if (offers === null) return send(res, portalReplies['too-many']);
  const asked = columns === 'import' ? importColumns : offerColumns(now);
  sendCsv(res, `offers-${caller.mode.toLowerCase()}`, asked, offers);
}

/** Those of a file that can be imported: the places of an offer group, with values of their own. The picture is that of the offer. */
const importColumns: readonly CsvColumn<ExportedOffer>[] = [
  { title: 'label', text: ({ placeLabel }) => placeLabel },
  ...offerTextFacts.map((text) => ({
    title: offerTexts[text].field,
    text: (offer: ExportedOffer) => offer[text],
  })),
  { title: 'url', text: ({ url }) => url },
  { title: 'category_id', number: ({ categoryId }) => categoryId },
  { title: 'latitude', number: ({ latitude }) => latitude },
  { title: 'longitude', number: ({ longitude }) => longitude },
  { title: 'radius', number: ({ radiusMiles }) => radiusMiles },
  { title: 'gender', text: ({ gender }) => gender.join(CSV_LIST) },
  { title: 'interests', text: ({ interests }) => interests.join(CSV_LIST) },
  { title: 'start_datetime', instant: ({ startAt }) => startAt },
  { title: 'expiry_datetime', instant: ({ expiryAt }) => expiryAt },
  { title: 'image_offer_id', number: ({ offerId }) => offerId },
];

const rateOf = ({ views, clicks }: { readonly views: number; readonly clicks: number }) =>
  views === 0 ? null : Number(((clicks / views) * 100).toFixed(2));

function offerColumns(now: Date): readonly CsvColumn<ExportedOffer>[] {
  const amount = (minor: bigint, { currency }: ExportedOffer) => formatMinor(minor, currency) as `${number}`;
  const costOf = (unit: 'views' | 'clicks', per?: number) => (offer: ExportedOffer) => {
    const minor = costPer(offer.spendMinor, offer[unit], per);
    return minor === null ? null : amount(minor, offer);
  };
  const state = (offer: ExportedOffer): OfferStatus | 'Deleted' =>
    offer.deletedAt === null ? statusOf(offer, now) : 'Deleted';
  return [
    { title: 'Number', number: ({ offerId }) => offerId },
    { title: 'Title', text: ({ title }) => title },
    {
      title: 'Place',
      text: ({ placeLabel, latitude, longitude }) => placeLabel ?? `${latitude}, ${longitude}`,
    },
    { title: 'State', text: state },
    { title: 'Disabled', text: ({ disabledSince }) => (disabledSince === null ? 'no' : 'yes') },
    { title: 'Created (UTC)', instant: ({ createdAt }) => createdAt },
    { title: 'Start (UTC)', instant: ({ startAt }) => startAt },
    { title: 'End (UTC)', instant: ({ expiryAt }) => expiryAt },
    { title: 'Deleted (UTC)', instant: ({ deletedAt }) => deletedAt },
    { title: 'Views', number: ({ views }) => views },
    { title: 'Clicks', number: ({ clicks }) => clicks },
    { title: 'Clicks per 100 views', number: rateOf },
    { title: 'Currency', text: ({ currency }) => currency },
    { title: 'Price (net)', number: (offer) => amount(offer.netMinor, offer) },
    { title: 'Spend (net)', number: (offer) => amount(offer.spendMinor, offer) },
    { title: 'Cost per click (net)', number: costOf('clicks') },
    { title: 'Cost per 1,000 views (net)', number: costOf('views', 1_000) },
    { title: 'Matching members at the purchase', number: ({ matchingUsers }) => matchingUsers },
  ];
}

export async function analyticsCsv(o: OffersContext, req: Request, res: Response): Promise<void> {
  const series = await zonedSeries(o, req);
  if (typeof series === 'string') return send(res, portalReplies[series]);
  const { interval, time_zone: timeZone, points } = series;
  const local = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  type Point = (typeof points)[number];
  const columns: readonly CsvColumn<Point>[] = [
    { title: 'From (UTC)', instant: ({ start_datetime: at }) => at },
    { title: `From (${timeZone})`, text: ({ start_datetime: at }) => local.format(new Date(at)) },
    { title: 'Views', number: ({ views }) => views },
    { title: 'Clicks', number: ({ clicks }) => clicks },
    { title: 'Clicks per 100 views', number: rateOf },
  ];
  const { offer_id: offerId, group_id: groupId } = req.params as Readonly<Record<string, string>>;
  const { from, to } = validInput(seriesQuery, req.query);
  const period = interval ?? `${from}-to-${to}`;
  sendCsv(res, `offer-${offerId ?? `group-${groupId}`}-${period}`, columns, points);
}
