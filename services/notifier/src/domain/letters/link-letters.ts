/** Letters with a link that signs one person in. The link is a credential, so each says when it expires. */
import type { EventData } from '@offer-ads/contracts/events/event-declaration';
import type {
  PersonInvited,
  Role,
  SignInRequested,
  SignUpRequested,
} from '@offer-ads/contracts/events/gateway';
import type { Letter } from './letter.ts';
import { foreignAddress, foreignName } from './plain-text.ts';
import type { Wording } from './wording.ts';

export function signIn(request: EventData<typeof SignInRequested>, { dateTime }: Wording): Letter {
  return {
    subject: 'Your sign-in link',
    heading: 'Sign in to the advertiser portal',
    paragraphs: [
      'Open the link and continue to the portal. There is no password.',
      `The link works once, until ${dateTime(request.expiresAt)}.`,
      'If you did not ask for it, ignore this mail: without the link nobody can sign in as you.',
    ],
    facts: [],
    action: { label: 'Open the sign-in page', url: request.signInUrl },
    reason: 'You receive this message because a sign-in link was asked for with your email address.',
  };
}

/**
 * The address is not proved, so the letter contains no text from the person who asked. A person who already has an account gets the other
 * letter.
 */
export function signUp(request: EventData<typeof SignUpRequested>, { dateTime }: Wording): Letter {
  const until = dateTime(request.expiresAt);
  const words = request.hasPlace
    ? {
        subject: 'You have an advertiser account already',
        heading: 'Sign in instead',
        paragraphs: [
          'Somebody asked for an advertiser account with your email address, but this address has an account already.',
          `The link signs you in to it once, until ${until}.`,
          'If it was not you, ignore this mail: without the link nobody can sign in as you.',
        ],
      }
    : {
        subject: 'Open your advertiser account',
        heading: 'One more step to your advertiser account',
        paragraphs: [
          `The link opens the account that was asked for and signs you in, once, until ${until}.`,
          'If you did not ask for one, ignore this mail: no account is made without the link.',
        ],
      };
  return {
    ...words,
    facts: [],
    action: { label: request.hasPlace ? 'Sign in' : 'Open the account', url: request.url },
    reason: 'You receive this message because an advertiser account was asked for with your email address.',
  };
}

/** The purpose of each role (decision 26, roles), in words that need no explanation. */
const roles = {
  admin: 'Admin (everything, from offers and API keys to people, terms and billing)',
  developer: 'Developer (API keys and the call log)',
  marketer: 'Marketer (offers)',
  finance: 'Finance (balance, top-ups, invoices and billing details)',
  viewer: 'Viewer (sees offers and their results, and changes nothing)',
} as const satisfies Record<Role, string>;

/**
 * The first link for a person who does not know the portal. The address is not proved, so subject, heading and first words are ours; names
 * of others are marked as such.
 */
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
