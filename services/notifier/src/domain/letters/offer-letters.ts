/** Letters about one offer: its payment, its end, and what the platform team does with it. */
import type { EventData } from '@offer-ads/contracts/events/event-declaration';
import type {
  OfferDisabled,
  OfferEnabled,
  OfferEnded,
  OfferEndsSoon,
  OfferPaymentApplied,
  PaymentLinkIssued,
  WeekEnded,
} from '@offer-ads/contracts/events/offers';
import type { PaymentMethod } from '@offer-ads/contracts/values/primitives';
import type { Line } from './letter.ts';
import { foreign } from './plain-text.ts';
import { inMode, type LetterToAdmins, pageAction, type Setting, type Wording } from './wording.ts';

/** What all events of offers say. */
type AnyOffer = Omit<EventData<typeof OfferEnabled>, 'enabledAt'>;
type End = EventData<typeof OfferEnded>;
type Payment = EventData<typeof OfferPaymentApplied>;

/** As the letter tells of it: one mail tells of all offers that are paid together. */
export function withWholeGroup<P extends EventData<typeof PaymentLinkIssued> | Payment>(payment: P): P {
  const { group } = payment;
  if (group === undefined) return payment;
  const { title, netMinor, vatMinor } = group;
  return { ...payment, title, netMinor, vatMinor };
}

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
    ...(payment.group && { action: openGroup(payment.mode, payment.group.groupId, setting) }),
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

/** A day before the end. The link opens the page where the offer can be extended, and buys nothing. */
export function offerEndsSoon(offer: EventData<typeof OfferEndsSoon>, setting: Setting): LetterToAdmins {
  const { mode, offerId, paused, group } = offer;
  if (group !== undefined)
    return {
      ...aboutGroup({ ...offer, group }, 'Offers end soon', setting),
      heading: 'Your offers end soon',
      paragraphs: [
        `They end on ${setting.dateTime(offer.expiryAt)}. If one should go on, extend it from its page: you choose the new end and see the price before you buy anything.`,
        ...(group.paused === 0
          ? []
          : [
              `${group.paused} of them ${group.paused === 1 ? 'is' : 'are'} paused, so members do not see ${group.paused === 1 ? 'it' : 'them'} at present. The end stays the same.`,
            ]),
      ],
    };
  return {
    ...aboutOffer(offer, 'Offer ends soon', setting),
    heading: 'Your offer ends soon',
    paragraphs: [
      `It ends on ${setting.dateTime(offer.expiryAt)}. If it should go on, extend it: you choose the new end and see the price before you buy anything.`,
      ...(paused ? ['It is paused, so members do not see it at present. Its end stays the same.'] : []),
    ],
    action: pageAction({ label: 'Extend the offer', mode, page: `offers/${offerId}?extend=yes` }, setting),
  };
}

/** On Monday: what the offers of an organisation brought in the week before. */
export function weekEnded(week: EventData<typeof WeekEnded>, setting: Setting): LetterToAdmins {
  const { mode, currency, offers, moreOffers, total } = week;
  const { count, money } = setting;
  const figures = ({ views, clicks, costMinor }: typeof total) =>
    `${counted(views, 'view', count)}, ${counted(clicks, 'click', count)}, ${money(costMinor, currency)}`;
  return {
    ...inMode(
      mode,
      `Your week: ${counted(total.views, 'view', count)}, ${counted(total.clicks, 'click', count)}`,
    ),
    heading: 'The week of your offers',
    paragraphs: [
      `${weekOf(week)}: views, clicks and cost of the offers that ran. The cost is the part of the price for the time in which an offer ran, without VAT.`,
    ],
    facts: [
      ...offers.map((offer): Line => [foreign(offer.title), figures(offer)]),
      ...(moreOffers === 0 ? [] : [['More offers', `${count(moreOffers)}, in the sums below`] as const]),
    ],
    amounts: [
      ['Views', count(total.views)],
      ['Clicks', count(total.clicks)],
      ['Cost', money(total.costMinor, currency)],
    ],
    action: pageAction({ label: 'See all results', mode, page: 'offers?sort=most_views' }, setting),
  };
}

function counted(number: number, unit: string, count: (number: number) => string): string {
  return `${count(number)} ${unit}${number === 1 ? '' : 's'}`;
}

/** "23 – 29 November 2026" */
function weekOf({ from, to }: { readonly from: string; readonly to: string }): string {
  const days = new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
  return days.formatRange(new Date(from), new Date(Date.parse(to) - 1));
}

export function offerEnded(offer: End, setting: Setting): LetterToAdmins {
  const { group } = offer;
  if (group !== undefined)
    return {
      ...aboutGroup({ ...offer, group }, 'Offers ended', setting),
      heading: 'Your offers have ended',
      paragraphs: [howTheyEnded({ ...offer, unusedMs: group.unusedMs })],
    };
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

function howTheyEnded({ paid, unusedMs, mode }: End): string {
  if (!paid)
    return `They were not paid for in time, so they were never shown, and their payment page is closed. Should a payment still be on its way, its net price is credited to your ${mode} balance.`;
  if (unusedMs === 0) return 'They were shown to members for the whole of their time.';
  return `The time in which they did not run is credited to your ${mode} balance; messages of their own name the amounts.`;
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

type OfGroup = AnyOffer & {
  readonly group: {
    readonly groupId: number;
    readonly title: string;
    readonly places: readonly { readonly label: string }[];
  };
};

/** One mail for all offers of a group, which names their places. */
function aboutGroup({ group, ...offer }: OfGroup, topic: string, setting: Setting) {
  const { mode, expiryAt } = offer;
  const { groupId, title, places } = group;
  return {
    ...inMode(mode, `${topic}: ${titled(group)}`),
    facts: [
      ['Offers', foreign(title)],
      ...places.map(({ label }, index): Line => [`Place ${index + 1}`, foreign(label)]),
      ['Ends', setting.dateTime(expiryAt)],
    ] satisfies Line[],
    action: openGroup(mode, groupId, setting),
  };
}

function openGroup(mode: AnyOffer['mode'], groupId: number, setting: Setting) {
  return pageAction({ label: 'Open the offers', mode, page: `offers/groups/${groupId}` }, setting);
}

/** The name of an offer in headings and subjects. */
export function titled(offer: { readonly title: string }): string {
  return `“${foreign(offer.title)}”`;
}

function offerFacts(offer: AnyOffer, { dateTime }: Wording): readonly Line[] {
  return [...offerName(offer), ['Starts', dateTime(offer.startAt)], ['Ends', dateTime(offer.expiryAt)]];
}

/** With the offer's id, because titles may repeat. A group has many, and a page of its own. */
export function offerName(offer: {
  readonly title: string;
  readonly offerId: number;
  readonly group?: object | undefined;
}): readonly Line[] {
  const name: Line = ['Offer', foreign(offer.title)];
  return offer.group === undefined ? [name, ['Offer number', `${offer.offerId}`]] : [name];
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
