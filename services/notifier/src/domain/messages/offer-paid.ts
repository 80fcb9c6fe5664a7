/** "An offer has been paid for", by either payment method; also the payment that came too late (decision 7). */
import type { EventData } from '@offer-ads/contracts/event-declaration';
import type { OfferPaymentApplied } from '@offer-ads/contracts/offers-events';
import type { PaymentMethod } from '@offer-ads/contracts/primitives';
import type { Contact } from '../contact.ts';
import type { Letter } from '../letter.ts';
import { dateTime, money } from '../wording.ts';
import { amountFacts, asAdmin, inMode, offerFacts, portalAction } from './offer-wording.ts';

type Payment = EventData<typeof OfferPaymentApplied>;

const methods = { E: 'Card', B: 'Prepaid balance' } as const satisfies Record<PaymentMethod, string>;

export function offerPaid(payment: Payment, contact: Contact, portalUrl: string): Letter {
  const { topic, news } = outcome(payment);
  return {
    subject: inMode(payment.mode, `${topic}: “${payment.title}”`),
    heading: topic,
    paragraphs: [news],
    facts: [
      ...offerFacts(payment),
      ['Paid by', methods[payment.paymentMethod]],
      ['Paid on', dateTime(payment.paidAt)],
      ...amountFacts(payment),
    ],
    action: portalAction(portalUrl),
    reason: asAdmin(contact),
  };
}

function outcome(payment: Payment): { topic: string; news: string } {
  switch (payment.outcome) {
    case 'active':
      return { topic: 'Offer paid', news: 'Your offer has been paid for and is live.' };
    case 'scheduled':
      return {
        topic: 'Offer paid',
        news: `Your offer has been paid for and goes live on ${dateTime(payment.startAt)}.`,
      };
    case 'ended':
      return { topic: 'Payment after the end of an offer', news: tooLate(payment, 'the offer had ended') };
    case 'deleted':
      return { topic: 'Payment for a deleted offer', news: tooLate(payment, 'the offer had been deleted') };
  }
}

function tooLate({ netMinor, currency, mode }: Payment, when: string): string {
  return `The payment arrived after ${when}, so the offer is not shown. The whole net price of ${money(netMinor, currency)} is credited to your ${mode} balance.`;
}
