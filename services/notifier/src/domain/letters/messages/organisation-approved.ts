/** "Your organisation is approved". */
import type { EventData } from '@offer-ads/contracts/events/event-declaration';
import type { OrganisationApproved } from '@offer-ads/contracts/events/gateway';
import type { Letter } from '../letter.ts';
import { asAdmin, portalAction } from './offer-wording.ts';
import type { Setting } from './setting.ts';

export function organisationApproved(_: EventData<typeof OrganisationApproved>, setting: Setting): Letter {
  return {
    subject: 'Your organisation is approved',
    heading: 'Your organisation is approved',
    paragraphs: [
      'You can now use LIVE mode: create LIVE keys in the portal, and offers that members of the community see.',
      'From now on prices count the real members of the community, in TEST and in LIVE mode. Estimates made before counted made-up members: ask for new ones.',
    ],
    facts: [['Approved', setting.dateTime(setting.happenedAt)]],
    action: portalAction(setting),
    reason: asAdmin(setting),
  };
}
