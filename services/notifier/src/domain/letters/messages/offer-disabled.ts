/** "Your offer is disabled", and "Your offer is shown again". */
import type { EventData } from '@offer-ads/contracts/events/event-declaration';
import type { OfferDisabled, OfferEnabled } from '@offer-ads/contracts/events/offers';
import type { Letter } from '../letter.ts';
import { foreign } from '../plain-text.ts';
import { asAdmin, inMode, offerAction, offerFacts, titled } from './offer-wording.ts';
import type { Setting } from './setting.ts';

export function offerDisabled(offer: EventData<typeof OfferDisabled>, setting: Setting): Letter {
  return {
    ...inMode(offer.mode, `Offer disabled: ${titled(offer)}`),
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
    action: offerAction(offer, setting),
    reason: asAdmin(setting),
  };
}

export function offerEnabled(offer: EventData<typeof OfferEnabled>, setting: Setting): Letter {
  return {
    ...inMode(offer.mode, `Offer enabled again: ${titled(offer)}`),
    heading: 'Your offer is enabled again',
    paragraphs: [
      'The platform team has enabled this offer again. Members see it while it is active.',
      `The time in which it was not shown is credited to your ${offer.mode} balance when the offer ends, or when you delete it.`,
    ],
    facts: [...offerFacts(offer, setting), ['Enabled', setting.dateTime(offer.enabledAt)]],
    action: offerAction(offer, setting),
    reason: asAdmin(setting),
  };
}
