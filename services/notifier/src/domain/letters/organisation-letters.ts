/** Letters about an organisation: its approval, and a webhook that was switched off. */
import type { EventData } from '@offer-ads/contracts/events/event-declaration';
import type {
  OrganisationApprovalWithdrawn,
  OrganisationApproved,
} from '@offer-ads/contracts/events/gateway';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import { foreign } from './plain-text.ts';
import { inMode, type LetterToAdmins, pageAction, type Setting } from './wording.ts';

export function organisationApproved(
  _: EventData<typeof OrganisationApproved>,
  setting: Setting,
): LetterToAdmins {
  return {
    subject: 'Your organisation is approved',
    heading: 'Your organisation is approved',
    paragraphs: [
      'You can now use LIVE mode: create LIVE keys in the portal, and offers that members of the community see.',
      'From now on prices count the real members of the community, in TEST and in LIVE mode. Estimates made before counted made-up members: ask for new ones.',
    ],
    facts: [['Approved', setting.dateTime(setting.happenedAt)]],
    action: portalAction(setting),
  };
}

export function approvalWithdrawn(
  { reason }: EventData<typeof OrganisationApprovalWithdrawn>,
  setting: Setting,
): LetterToAdmins {
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
  };
}

function portalAction({ portalUrl }: Setting) {
  return { label: 'Open the advertiser portal', url: portalUrl };
}

export type SwitchedOff = {
  readonly endpointId: string;
  readonly mode: Mode;
  /** Without the path, which may hold a credential. */
  readonly host: string;
  readonly because: 'failing' | 'gone';
};

const causes = {
  failing: 'All attempts of the last five days to deliver messages to it have failed.',
  gone: 'It answered a message with 410 (Gone), which means that it wants no more of them.',
} as const satisfies Record<SwitchedOff['because'], string>;

export function webhookSwitchedOff(endpoint: SwitchedOff, setting: Setting): LetterToAdmins {
  const { mode, endpointId } = endpoint;
  return {
    ...inMode(mode, 'A webhook was switched off'),
    heading: 'A webhook was switched off',
    paragraphs: [
      `${causes[endpoint.because]} It gets no more messages until somebody switches it on again.`,
      'Messages that it misses meanwhile are kept for 35 days and can be sent again.',
    ],
    facts: [
      ['Server', foreign(endpoint.host)],
      ['Endpoint', endpointId],
      ['Switched off', setting.dateTime(setting.happenedAt)],
    ],
    action: pageAction({ label: 'Open the webhook', mode, page: `webhooks/${endpointId}` }, setting),
  };
}
