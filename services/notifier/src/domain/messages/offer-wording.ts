/** What several letters say about an offer, in the same words. */
import type { EventData } from '@offer-ads/contracts/event-declaration';
import type { OfferEnded, OfferPaymentApplied, PaymentLinkIssued } from '@offer-ads/contracts/offers-events';
import type { Mode } from '@offer-ads/contracts/primitives';
import type { Contact } from '../contact.ts';
import type { Letter } from '../letter.ts';
import { dateTime, money } from '../wording.ts';

type Facts = Letter['facts'];
type AnyOffer = EventData<typeof OfferEnded | typeof OfferPaymentApplied | typeof PaymentLinkIssued>;

/** TEST and LIVE are separate worlds, and a reader must see at once in which one this happened. */
export function inMode(mode: Mode, subject: string): string {
  return mode === 'TEST' ? `[TEST] ${subject}` : subject;
}

export function offerFacts(offer: AnyOffer): Facts {
  return [...offerName(offer), ['Starts', dateTime(offer.startAt)], ['Ends', dateTime(offer.expiryAt)]];
}

/** The number is what the API calls the offer by: titles may repeat. */
export function offerName(offer: { title: string; offerId: number }): Facts {
  return [
    ['Offer', offer.title],
    ['Offer number', `${offer.offerId}`],
  ];
}

/** Prices are net of VAT (price rule 6); the total is what was or will be paid. */
export function amountFacts(o: { netMinor: string; vatMinor: string; currency: string }): Facts {
  return [
    ['Net price', money(o.netMinor, o.currency)],
    ['VAT', money(o.vatMinor, o.currency)],
    ['Total', money(BigInt(o.netMinor) + BigInt(o.vatMinor), o.currency)],
  ];
}

export function asAdmin(contact: Contact): string {
  return `You receive this message as an admin of ${contact.tradingName}.`;
}

export function portalAction(portalUrl: string): Required<Letter>['action'] {
  return { label: 'Open the advertiser portal', url: portalUrl };
}
