/** Texts that several letters share. */
import type { EventData } from '@offer-ads/contracts/events/event-declaration';
import type { OfferEnabled } from '@offer-ads/contracts/events/offers';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { Letter, Line } from '../letter.ts';
import { foreign } from '../plain-text.ts';
import type { Wording } from '../wording.ts';
import type { Setting } from './setting.ts';

/** What all events of offers say. */
type AnyOffer = Omit<EventData<typeof OfferEnabled>, 'enabledAt'>;

/** TEST and LIVE are separate, and a reader must see at once in which mode this happened. */
export function inMode(mode: Mode, subject: string): Pick<Letter, 'subject' | 'notice'> {
  return mode === 'TEST'
    ? { subject: `[TEST] ${subject}`, notice: 'TEST mode: no real money is involved.' }
    : { subject };
}

/** The name of an offer in headings and subjects. */
export function titled(offer: { readonly title: string }): string {
  return `“${foreign(offer.title)}”`;
}

export function offerFacts(offer: AnyOffer, { dateTime }: Wording): readonly Line[] {
  return [...offerName(offer), ['Starts', dateTime(offer.startAt)], ['Ends', dateTime(offer.expiryAt)]];
}

/** With the offer's id, because titles may repeat. */
export function offerName(offer: { readonly title: string; readonly offerId: number }): readonly Line[] {
  return [
    ['Offer', foreign(offer.title)],
    ['Offer number', `${offer.offerId}`],
  ];
}

type Price = { readonly netMinor: string; readonly vatMinor: string; readonly currency: string };

/** Prices are net of VAT (price rule 6); the total is the amount paid or to be paid. */
export function priceLines(price: Price, { money }: Wording): readonly Line[] {
  const { netMinor, vatMinor, currency } = price;
  return [
    ['Net price', money(netMinor, currency)],
    ['VAT', money(vatMinor, currency)],
    ['Total', money(BigInt(netMinor) + BigInt(vatMinor), currency)],
  ];
}

export function asAdmin({ contact }: Setting): string {
  return `You receive this message as an admin of ${foreign(contact.tradingName)}.`;
}

type Action = Required<Letter>['action'];

export function portalAction({ portalUrl }: Setting): Action {
  return { label: 'Open the advertiser portal', url: portalUrl };
}

/** The pages of the portal are apart for each mode. */
export function pageAction(o: { label: string; mode: Mode; page: string }, { portalUrl }: Setting): Action {
  return { label: o.label, url: `${portalUrl}/${o.mode.toLowerCase()}/${o.page}` };
}

export function offerAction({ mode, offerId }: Pick<AnyOffer, 'mode' | 'offerId'>, setting: Setting): Action {
  return pageAction({ label: 'Open the offer', mode, page: `offers/${offerId}` }, setting);
}

export function balanceAction(mode: Mode, setting: Setting): Action {
  return pageAction({ label: 'Open the balance', mode, page: 'money' }, setting);
}
