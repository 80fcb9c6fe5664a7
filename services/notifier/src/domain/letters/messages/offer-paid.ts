/** "An offer has been paid for", by either payment method; also for a payment that came too late (decision 7, late card payments). */
import type { EventData } from '@offer-ads/contracts/events/event-declaration';
import type { OfferPaymentApplied } from '@offer-ads/contracts/events/offers';
import type { PaymentMethod } from '@offer-ads/contracts/values/primitives';
import type { Letter } from '../letter.ts';
import { asAdmin, inMode, offerAction, offerFacts, priceLines, titled } from './offer-wording.ts';
import type { Setting } from './setting.ts';

type Payment = EventData<typeof OfferPaymentApplied>;

const methods = { E: 'Card', B: 'Prepaid balance' } as const satisfies Record<PaymentMethod, string>;

export function offerPaid(payment: Payment, setting: Setting): Letter {
  const { topic, news } = outcome(payment, setting);
  return {
    ...inMode(payment.mode, `${topic}: ${titled(payment)}`),
    heading: topic,
    paragraphs: [news],
    facts: [
      ...offerFacts(payment, setting),
      ['Paid by', methods[payment.paymentMethod]],
      ['Paid on', setting.dateTime(payment.paidAt)],
    ],
    amounts: priceLines(payment, setting),
    action: offerAction(payment, setting),
    reason: asAdmin(setting),
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
