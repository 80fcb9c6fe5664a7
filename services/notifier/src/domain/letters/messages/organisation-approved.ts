/** "Your organisation is approved", and "The approval of your organisation is withdrawn". */
import type { EventData } from '@offer-ads/contracts/events/event-declaration';
import type {
  OrganisationApprovalWithdrawn,
  OrganisationApproved,
} from '@offer-ads/contracts/events/gateway';
import type { Letter } from '../letter.ts';
import { foreign } from '../plain-text.ts';
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

export function approvalWithdrawn(
  { reason }: EventData<typeof OrganisationApprovalWithdrawn>,
  setting: Setting,
): Letter {
  return {
    subject: 'The approval of your organisation is withdrawn',
    heading: 'The approval of your organisation is withdrawn',
    paragraphs: [
      'The platform team has withdrawn the approval of your organisation for LIVE mode. You can read the reason below.',
      'Your LIVE offers go on. You can read, pause, resume and delete them, and fetch your invoices. Nothing new can be bought in LIVE mode, and prices count made-up members.',
    ],
    facts: [
      ['Reason', foreign(reason)],
      ['Withdrawn', setting.dateTime(setting.happenedAt)],
    ],
    action: portalAction(setting),
    reason: asAdmin(setting),
  };
}
