/**
 * "You have been invited": the first link for a person who does not know the portal. The address is not proved, so subject, heading and
 * first words are ours; names of others are marked as such.
 */
import type { EventData } from '@offer-ads/contracts/events/event-declaration';
import type { PersonInvited, Role } from '@offer-ads/contracts/events/gateway';
import type { Letter } from '../letter.ts';
import { foreignAddress, foreignName } from '../plain-text.ts';
import type { Wording } from '../wording.ts';

/** The purpose of each role (decision 26, roles), in words that need no explanation. */
const roles = {
  admin: 'Admin (everything, from offers and API keys to people, terms and billing)',
  developer: 'Developer (API keys and the call log)',
  marketer: 'Marketer (offers)',
} as const satisfies Record<Role, string>;

export function invitation(invited: EventData<typeof PersonInvited>, { dateTime }: Wording): Letter {
  return {
    subject: 'Your invitation to the advertiser portal',
    heading: 'Join your organisation in the advertiser portal',
    paragraphs: [
      `You have been invited to look after the advertising of the organisation below, by ${invited.invitedBy === null ? 'the platform team' : 'one of its admins'}.`,
      `The link signs you in once, until ${dateTime(invited.expiresAt)}. After that the portal sends you a new one whenever you want to sign in: there is no password.`,
      'If you do not know the organisation or did not expect this, ignore this mail: without the link nobody can sign in as you.',
    ],
    facts: [
      ['Organisation', foreignName(invited.organisationName)],
      ['Invited by', invited.invitedBy === null ? 'the platform team' : foreignAddress(invited.invitedBy)],
      ['Your role', roles[invited.role]],
    ],
    action: { label: 'Accept and sign in', url: invited.signInUrl },
    reason: 'You receive this message because your email address was invited to the advertiser portal.',
  };
}
