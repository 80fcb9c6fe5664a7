/** "Pay for this offer": to the admins and to the person who created it. */
import type { EventData } from '@offer-ads/contracts/events/event-declaration';
import type { PaymentLinkIssued } from '@offer-ads/contracts/events/offers';
import type { Letter } from '../letter.ts';
import { foreign } from '../plain-text.ts';
import { inMode, offerFacts, priceLines, titled } from './offer-wording.ts';
import type { Setting } from './setting.ts';

export function paymentLink(offer: EventData<typeof PaymentLinkIssued>, setting: Setting): Letter {
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
