/** Letters about one offer: its payment, its end, and what the platform team does with it. */
import type { EventData } from '@offer-ads/contracts/events/event-declaration';
import type {
  OfferDisabled,
  OfferEnabled,
  OfferEnded,
  OfferPaymentApplied,
  PaymentLinkIssued,
} from '@offer-ads/contracts/events/offers';
import type { PaymentMethod } from '@offer-ads/contracts/values/primitives';
import type { Line } from './letter.ts';
import { foreign } from './plain-text.ts';
import { inMode, type LetterToAdmins, pageAction, type Setting, type Wording } from './wording.ts';

/** What all events of offers say. */
type AnyOffer = Omit<EventData<typeof OfferEnabled>, 'enabledAt'>;
type End = EventData<typeof OfferEnded>;
type Payment = EventData<typeof OfferPaymentApplied>;

/** "Pay for this offer": to the admins and to the person who created it. */
export function paymentLink(offer: EventData<typeof PaymentLinkIssued>, setting: Setting): LetterToAdmins {
  return {
    ...inMode(offer.mode, `Payment link for ${titled(offer)}`),
    heading: 'Your offer is waiting for payment',
    paragraphs: [
      'The offer has been created and is shown to members as soon as it is paid for and its start has come.',
      `The link stays valid until the offer ends on ${setting.dateTime(offer.expiryAt)}. Time of the offer that passes before you pay is credited to your ${offer.mode} balance.`,
    ],
    facts: offerFacts(offer, setting),
    amounts: priceLines(offer, setting),
    action: { label: 'Pay by card', url: offer.paymentUrl },
    reason: `You receive this message as an admin of ${foreign(setting.contact.tradingName)}, or because you created the offer.`,
  };
}

const methods = { E: 'Card', B: 'Prepaid balance' } as const satisfies Record<PaymentMethod, string>;

/** By either payment method; also for a payment that came too late (decision 7, late card payments). */
export function offerPaid(payment: Payment, setting: Setting): LetterToAdmins {
  const { topic, news } = outcome(payment, setting);
  return {
    ...aboutOffer(payment, topic, setting),
    heading: topic,
    paragraphs: [news],
    facts: [
      ...offerFacts(payment, setting),
      ['Paid by', methods[payment.paymentMethod]],
      ['Paid on', setting.dateTime(payment.paidAt)],
    ],
    amounts: priceLines(payment, setting),
  };
}

function outcome(payment: Payment, setting: Setting): { topic: string; news: string } {
  switch (payment.outcome) {
    case 'active':
      return { topic: 'Offer paid', news: `Your offer is paid and runs now.${ofLateStart(payment)}` };
    case 'scheduled':
      return {
        topic: 'Offer paid',
        news: `Your offer is paid and starts on ${setting.dateTime(payment.startAt)}.`,
      };
    case 'ended':
      return {
        topic: 'Payment after the end of an offer',
        news: tooLate(payment, 'the offer had ended', setting),
      };
    case 'deleted':
      return {
        topic: 'Payment for a deleted offer',
        news: tooLate(payment, 'the offer had been deleted', setting),
      };
  }
}

/** The time between start and payment is Unused Time (decision 6, Unused Time); a small credit has no mail of its own. */
function ofLateStart({ paymentMethod, unusedMs, mode }: Payment): string {
  if (paymentMethod !== 'E' || unusedMs === 0) return '';
  return ` The time between its start and the payment is credited to your ${mode} balance, even if it is only seconds.`;
}

function tooLate({ netMinor, currency, mode }: Payment, when: string, { money }: Setting): string {
  return `The payment arrived after ${when}, so the offer is not shown. The whole net price of ${money(netMinor, currency)} is credited to your ${mode} balance.`;
}

export function offerEnded(offer: End, setting: Setting): LetterToAdmins {
  return {
    ...aboutOffer(offer, 'Offer ended', setting),
    heading: 'Your offer has ended',
    paragraphs: [howItEnded(offer)],
  };
}

function howItEnded({ paid, unusedMs, mode }: End): string {
  if (!paid)
    return `It was not paid for in time, so it was never shown, and its payment page is closed. Should a payment still be on its way, its net price is credited to your ${mode} balance.`;
  if (unusedMs === 0) return 'It was shown to members for the whole of its time.';
  return `The time in which it did not run is credited to your ${mode} balance; a message of its own names the amount.`;
}

export function offerDisabled(offer: EventData<typeof OfferDisabled>, setting: Setting): LetterToAdmins {
  return {
    ...aboutOffer(offer, 'Offer disabled', setting),
    heading: 'Your offer is disabled',
    paragraphs: [
      'The platform team has disabled this offer, so members do not see it. You can read the reason below.',
      `The time in which it is not shown is credited to your ${offer.mode} balance when the offer ends, or when you delete it.`,
    ],
    facts: [
      ['Reason', foreign(offer.reason)],
      ...offerFacts(offer, setting),
      ['Disabled', setting.dateTime(offer.disabledAt)],
    ],
  };
}

export function offerEnabled(offer: EventData<typeof OfferEnabled>, setting: Setting): LetterToAdmins {
  return {
    ...aboutOffer(offer, 'Offer enabled again', setting),
    heading: 'Your offer is enabled again',
    paragraphs: [
      'The platform team has enabled this offer again. Members see it while it is active.',
      `The time in which it was not shown is credited to your ${offer.mode} balance when the offer ends, or when you delete it.`,
    ],
    facts: [...offerFacts(offer, setting), ['Enabled', setting.dateTime(offer.enabledAt)]],
  };
}

function aboutOffer(offer: AnyOffer, topic: string, setting: Setting) {
  const { mode, offerId } = offer;
  return {
    ...inMode(mode, `${topic}: ${titled(offer)}`),
    facts: offerFacts(offer, setting),
    action: pageAction({ label: 'Open the offer', mode, page: `offers/${offerId}` }, setting),
  };
}

/** The name of an offer in headings and subjects. */
export function titled(offer: { readonly title: string }): string {
  return `“${foreign(offer.title)}”`;
}

function offerFacts(offer: AnyOffer, { dateTime }: Wording): readonly Line[] {
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
function priceLines(price: Price, { money }: Wording): readonly Line[] {
  const { netMinor, vatMinor, currency } = price;
  return [
    ['Net price', money(netMinor, currency)],
    ['VAT', money(vatMinor, currency)],
    ['Total', money(BigInt(netMinor) + BigInt(vatMinor), currency)],
  ];
}
