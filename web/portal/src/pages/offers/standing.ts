/** The state of an offer: its colour and a text about what happens next. */
import type { PortalOffer } from '@offer-ads/contracts/portal/offers-api';
import { creditTarget } from '@offer-ads/contracts/values/unused-time';

type Standing = Pick<
  PortalOffer,
  'offer_status' | 'status' | 'start_datetime' | 'expiry_datetime' | 'payment_method'
>;

/** Whether the platform keeps members from seeing it. After its end that makes no difference. */
export function isWithheld(offer: Pick<PortalOffer, 'offer_status' | 'status'>): boolean {
  return offer.status === 'disabled' && offer.offer_status !== 'Ended';
}

export function badgeOf(status: PortalOffer['offer_status']): 'good' | 'warning' | 'muted' | '' {
  switch (status) {
    case 'Active':
      return 'good';
    case 'Scheduled':
      return '';
    case 'Awaiting Payment':
    case 'Paused':
      return 'warning';
    case 'Ended':
      return 'muted';
  }
}

type Unpaid = Pick<
  PortalOffer,
  'offer_status' | 'start_datetime' | 'expiry_datetime' | 'creation_datetime' | 'cost_minor'
>;

/**
 * What the time is worth that an unpaid offer has lost since its start: it is credited after the payment (decision 6, Unused Time). Null
 * while no time is lost.
 */
export function lostMinor(offer: Unpaid, now: Date): bigint | null {
  const start = Date.parse(offer.start_datetime);
  if (offer.offer_status !== 'Awaiting Payment' || now.getTime() < start) return null;
  const unusedMs = now.getTime() - Math.max(start, Date.parse(offer.creation_datetime));
  const scheduledMs = Date.parse(offer.expiry_datetime) - start;
  return creditTarget(BigInt(offer.cost_minor), { unusedMs, scheduledMs });
}

/** @param momentText formats a time */
export function nextText(offer: Standing, now: Date, momentText: (at: string) => string): string {
  const start = momentText(offer.start_datetime);
  const end = momentText(offer.expiry_datetime);
  const startsLater = new Date(offer.start_datetime) > now;
  if (isWithheld(offer))
    return `The platform team has disabled it, so members do not see it. The time in which it is not shown is credited when it ends, on ${end}, or when you delete it.`;
  switch (offer.offer_status) {
    case 'Awaiting Payment':
      return startsLater
        ? `After it is paid, members see it from ${start} until ${end}. If nobody pays, it ends then.`
        : `Members see it from its payment until ${end}. If nobody pays, it ends then.`;
    case 'Scheduled':
      return `It is paid and will be shown from ${start} until ${end}.`;
    case 'Active':
      return `It runs until ${end}.`;
    case 'Paused':
      return `It is not shown. It still ends on ${end}; the time in which it was paused is credited then.`;
    case 'Ended':
      return `It ended on ${end}.`;
  }
}
