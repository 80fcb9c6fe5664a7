/**
 * "Open your advertiser account": the address is not proved, so the letter contains no text from the person who asked. A person who already
 * has an account gets the other letter.
 */
import type { EventData } from '@offer-ads/contracts/events/event-declaration';
import type { SignUpRequested } from '@offer-ads/contracts/events/gateway';
import type { Letter } from '../letter.ts';
import type { Wording } from '../wording.ts';

const reason =
  'You receive this message because an advertiser account was asked for with your email address.';

export function signUp(request: EventData<typeof SignUpRequested>, { dateTime }: Wording): Letter {
  const until = dateTime(request.expiresAt);
  return request.hasPlace
    ? {
        subject: 'You have an advertiser account already',
        heading: 'Sign in instead',
        paragraphs: [
          'Somebody asked for an advertiser account with your email address, but this address has an account already.',
          `The link signs you in to it once, until ${until}.`,
          'If it was not you, ignore this mail: without the link nobody can sign in as you.',
        ],
        facts: [],
        action: { label: 'Sign in', url: request.url },
        reason,
      }
    : {
        subject: 'Open your advertiser account',
        heading: 'One more step to your advertiser account',
        paragraphs: [
          `The link opens the account that was asked for and signs you in, once, until ${until}.`,
          'If you did not ask for one, ignore this mail: no account is made without the link.',
        ],
        facts: [],
        action: { label: 'Open the account', url: request.url },
        reason,
      };
}
