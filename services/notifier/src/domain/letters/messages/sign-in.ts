/** "Sign in to the portal". The link is a credential, so the letter says when it expires. */
import type { EventData } from '@offer-ads/contracts/events/event-declaration';
import type { SignInRequested } from '@offer-ads/contracts/events/gateway';
import type { Letter } from '../letter.ts';
import type { Wording } from '../wording.ts';

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
