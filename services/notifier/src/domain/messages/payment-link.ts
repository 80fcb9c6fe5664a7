/** "Pay for this offer": to the admins and to the person who created it. */
import type { EventData } from '@offer-ads/contracts/event-declaration';
import type { PaymentLinkIssued } from '@offer-ads/contracts/offers-events';
import type { Contact } from '../contact.ts';
import type { Letter } from '../letter.ts';
import { dateTime } from '../wording.ts';
import { amountFacts, inMode, offerFacts } from './offer-wording.ts';

export function paymentLink(offer: EventData<typeof PaymentLinkIssued>, contact: Contact): Letter {
  return {
    subject: inMode(offer.mode, `Payment link for “${offer.title}”`),
    heading: 'Your offer is waiting for payment',
    paragraphs: [
      'The offer has been created and is shown to members as soon as it is paid for and its start has come.',
      `The link stays valid until the offer ends on ${dateTime(offer.expiryAt)}. Time of the offer that passes before you pay is credited to your ${offer.mode} balance.`,
    ],
    facts: [...offerFacts(offer), ...amountFacts(offer)],
    action: { label: 'Pay by card', url: offer.paymentUrl },
    reason: `You receive this message as an admin of ${contact.tradingName}, or because you created the offer.`,
  };
}
