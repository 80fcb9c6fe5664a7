/** "An offer has ended". */
import type { EventData } from '@offer-ads/contracts/events/event-declaration';
import type { OfferEnded } from '@offer-ads/contracts/events/offers';
import type { Letter } from '../letter.ts';
import { asAdmin, inMode, offerAction, offerFacts, titled } from './offer-wording.ts';
import type { Setting } from './setting.ts';

type End = EventData<typeof OfferEnded>;

export function offerEnded(offer: End, setting: Setting): Letter {
  return {
    ...inMode(offer.mode, `Offer ended: ${titled(offer)}`),
    heading: 'Your offer has ended',
    paragraphs: [howItEnded(offer)],
    facts: offerFacts(offer, setting),
    action: offerAction(offer, setting),
    reason: asAdmin(setting),
  };
}

function howItEnded({ paid, unusedMs, mode }: End): string {
  if (!paid)
    return `It was not paid for in time, so it was never shown, and its payment page is closed. Should a payment still be on its way, its net price is credited to your ${mode} balance.`;
  if (unusedMs === 0) return 'It was shown to members for the whole of its time.';
  return `The time in which it did not run is credited to your ${mode} balance; a message of its own names the amount.`;
}
