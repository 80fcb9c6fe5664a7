/** "You have been invited": the first link of a person who has never heard of the portal, so it says who asks and for what. */
import type { EventData } from '@offer-ads/contracts/event-declaration';
import type { PersonInvited, Role } from '@offer-ads/contracts/gateway-events';
import type { Letter } from '../letter.ts';
import { foreign } from '../plain-text.ts';
import type { Wording } from '../wording.ts';

/** What each role is for (decision 26), in words that need no manual. */
const roles = {
  admin: 'Admin (everything, from offers and API keys to people, terms and billing)',
  developer: 'Developer (API keys and the call log)',
  marketer: 'Marketer (offers)',
} as const satisfies Record<Role, string>;

export function invitation(invited: EventData<typeof PersonInvited>, { dateTime }: Wording): Letter {
  const organisation = foreign(invited.organisationName);
  const inviter = invited.invitedBy === null ? 'The platform team' : foreign(invited.invitedBy);
  return {
    subject: `Invitation to ${organisation} in the advertiser portal`,
    heading: `Join ${organisation}`,
    paragraphs: [
      `${inviter} has invited you to look after the advertising of ${organisation} in the advertiser portal.`,
      `The link signs you in once, until ${dateTime(invited.expiresAt)}. After that the portal sends you a new one whenever you want to sign in: there is no password.`,
      'If you did not expect this, you need do nothing: without the link nobody can sign in as you.',
    ],
    facts: [
      ['Organisation', organisation],
      ['Your role', roles[invited.role]],
    ],
    action: { label: 'Accept and sign in', url: invited.signInUrl },
    reason: `You receive this message because your email address was invited to ${organisation}.`,
  };
}
