/** Letters about an offer, or about offers that were ordered together: its payment, its end, and what the platform team does with it. */
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
  const { title, netMinor, vatMinor, startAt, expiryAt } = group;
  return { ...payment, title, netMinor, vatMinor, startAt, expiryAt };
}

/** "Pay for this offer": to the admins and to the person who created it. */
export function paymentLink(offer: EventData<typeof PaymentLinkIssued>, setting: Setting): LetterToAdmins {
  const { places = 1 } = offer.group ?? {};
  const [theOffer, heading, created] =
    places > 1
      ? ([
          'the first of them',
          'Your offers are waiting for payment',
          `${places} offers have been created. Members see each of them as soon as all are paid for and its start has come.`,
        ] as const)
      : ([
          'the offer',
          'Your offer is waiting for payment',
          'The offer has been created and is shown to members as soon as it is paid for and its start has come.',
        ] as const);
  return {
    ...inMode(offer.mode, `Payment link for ${titled(offer)}`),
    heading,
    paragraphs: [
      created,
      `The link stays valid until ${theOffer} ends on ${setting.dateTime(offer.expiryAt)}. Time of an offer that passes before you pay is credited to your ${offer.mode} balance.`,
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
  const { places = 1, unused = [] } = payment.group ?? {};
  const late = unused.filter(({ unusedMs, scheduledMs }) => unusedMs === scheduledMs).length;
  if (late > 0 && late < places)
    return {
      topic: 'Offers paid',
      news: `Your offers are paid. The payment arrived after ${late} of the ${places} had ended, so ${late === 1 ? 'that one is' : 'these are'} not shown. The price of the time before the payment is credited to your ${payment.mode} balance.`,
    };
  const [it, isNot, paid] =
    places > 1
      ? ['the offers', 'are not', { topic: 'Offers paid', news: 'Your offers are paid' }]
      : ['the offer', 'is not', { topic: 'Offer paid', news: 'Your offer is paid' }];
  const lateStart = ofLateStart(payment);
  if (payment.group?.haveSameTime === false && late === 0)
    return { ...paid, news: `${paid.news}. Each runs from its own start to its own end.${lateStart}` };
  switch (payment.outcome) {
    case 'active':
      return { ...paid, news: `${paid.news} and ${places > 1 ? 'run' : 'runs'} now.${lateStart}` };
    case 'scheduled':
      return {
        ...paid,
        news: `${paid.news} and ${places > 1 ? 'start' : 'starts'} on ${setting.dateTime(payment.startAt)}.`,
      };
    case 'ended':
      return {
        topic: `Payment after the end of ${places > 1 ? 'offers' : 'an offer'}`,
        news: tooLate(payment, `${it} had ended, so ${it} ${isNot} shown`, setting),
      };
    case 'deleted':
      return {
        topic: `Payment for ${places > 1 ? 'deleted offers' : 'a deleted offer'}`,
        news: tooLate(payment, `${it} had been deleted, so ${it} ${isNot} shown`, setting),
      };
  }
}

/** The time between start and payment is Unused Time (decision 6, Unused Time); a small credit has no mail of its own. */
function ofLateStart({ paymentMethod, unusedMs, mode, group }: Payment): string {
  const isLate = unusedMs > 0 || group?.unused.some((part) => part.unusedMs > 0);
  if (paymentMethod !== 'E' || !isLate) return '';
  return ` The time between ${group === undefined ? 'its' : 'their'} start and the payment is credited to your ${mode} balance, even if it is only seconds.`;
}

function tooLate({ netMinor, currency, mode }: Payment, when: string, { money }: Setting): string {
  return `The payment arrived after ${when}. The whole net price of ${money(netMinor, currency)} is credited to your ${mode} balance.`;
}

/** A day before the end. The link opens the page where the offer can be extended, and buys nothing. */
export function offerEndsSoon(offer: EventData<typeof OfferEndsSoon>, setting: Setting): LetterToAdmins {
  const { mode, offerId, paused, group } = offer;
  const end = setting.dateTime(offer.expiryAt);
  const action = (label: string, page: string) => ({
    action: pageAction({ label, mode, page: `offers/${page}?extend=yes` }, setting),
  });
  if (group === undefined)
    return {
      ...aboutOffer(offer, 'Offer ends soon', setting),
      ...action('Extend the offer', `${offerId}`),
      heading: 'Your offer ends soon',
      paragraphs: [
        `It ends on ${end}. If it should go on, extend it: you choose the new end and see the price before you buy anything.`,
        ...(paused ? ['It is paused, so members do not see it at present. Its end stays the same.'] : []),
      ],
    };
  const [are, them] = group.paused === 1 ? ['is', 'it'] : ['are', 'them'];
  return {
    ...aboutGroup({ ...offer, group }, 'Offers end soon', setting),
    ...action('Extend the offers', `groups/${group.groupId}`),
    heading: 'Your offers end soon',
    paragraphs: [
      `They end on ${end}. If they should go on, extend them all, or one from its page: you see the price before you buy anything.`,
      ...(group.paused === 0
        ? []
        : [
            `${group.paused} of them ${are} paused, so members do not see ${them} at present. The end stays the same.`,
          ]),
    ],
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
  const { group, paid, mode } = offer;
  const isOne = group === undefined;
  const [they, were, their] = isOne ? ['it', 'was', 'its'] : ['they', 'were', 'their'];
  const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
  const ran =
    (isOne ? offer : group).unusedMs === 0
      ? sentence(`${they} ${were} shown to members for the whole of ${their} time.`)
      : `The time in which ${they} did not run is credited to your ${mode} balance; another message names the amount.`;
  const unpaid = `${they} ${were} not paid for in time, so ${they} ${were} never shown, and ${their} payment page is closed. Should a payment still be on its way, its net price is credited to your ${mode} balance.`;
  return {
    ...(isOne
      ? aboutOffer(offer, 'Offer ended', setting)
      : aboutGroup({ ...offer, group }, 'Offers ended', setting)),
    heading: isOne ? 'Your offer has ended' : 'Your offers have ended',
    paragraphs: [paid ? ran : sentence(unpaid)],
  };
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

type Timed = AnyOffer & { readonly group?: { readonly haveSameTime: boolean } | undefined };

function offerFacts(offer: Timed, { dateTime }: Wording): readonly Line[] {
  const [starts, ends] =
    offer.group?.haveSameTime === false ? ['First one starts', 'First one ends'] : ['Starts', 'Ends'];
  return [...offerName(offer), [starts, dateTime(offer.startAt)], [ends, dateTime(offer.expiryAt)]];
}

/** With the offer's id, because titles may repeat. A group has many, and a page of its own. */
export function offerName(offer: {
  readonly title: string;
  readonly offerId: number;
  readonly group?: object | undefined;
}): readonly Line[] {
  const title = foreign(offer.title);
  if (offer.group !== undefined) return [['Offers', title]];
  return [
    ['Offer', title],
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
