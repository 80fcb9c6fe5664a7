/** The refusals of the internal admin routes; the tool shows these messages unchanged. */
import type { Response } from 'express';
import type { OrganisationRefusal } from '../accounts/manage-organisations.ts';
import type { TermsRefusal } from '../accounts/manage-terms.ts';
import {
  mostInvitationsADay,
  mostInvitationsOfOrganisationADay,
  mostPeople,
  type PeopleRefusal,
} from '../domain/accounts/people.ts';
import { mostKeysInForce } from '../domain/keys/key-standing.ts';
import type { KeyRefusal } from '../keys/manage-keys.ts';
import { notApprovedMessage } from './replies.ts';

export type AdministrationRefusal = OrganisationRefusal | PeopleRefusal | TermsRefusal | KeyRefusal;
export type RefusalReply = {
  readonly status: number;
  readonly message: string;
  readonly retryAfterSeconds?: number;
};

export const administrationRefusals = {
  'organisation-unknown': { status: 404, message: 'There is no such organisation' },
  'not-allowed': { status: 403, message: 'Your role in the organisation does not allow this' },
  'person-unknown': { status: 404, message: 'The organisation has no such person' },
  'person-exists': { status: 409, message: 'The organisation has a person with that email address already' },
  'person-disabled': { status: 409, message: 'The person is disabled: enable the person first' },
  'too-many-people': {
    status: 409,
    message: `An organisation has at most ${mostPeople} people`,
  },
  'last-admin': {
    status: 409,
    message:
      'The organisation would be left without an enabled admin: make somebody else admin first (who was invited counts once they have signed in)',
  },
  'already-joined': {
    status: 409,
    message: 'The person has signed in before and needs no invitation: they can ask for a link to sign in',
  },
  // The oldest of them may be nearly a day old, so an hour's wait may be enough.
  'invited-too-often': {
    status: 429,
    message: `The address was sent ${mostInvitationsADay} invitations within a day: try again later`,
    retryAfterSeconds: 3_600,
  },
  'too-many-invitations': {
    status: 429,
    message: `An organisation sends at most ${mostInvitationsOfOrganisationADay} invitations within a day: try again later`,
    retryAfterSeconds: 3_600,
  },
  'terms-superseded': { status: 409, message: 'That version was published before and has been superseded' },
  'terms-differ': {
    status: 409,
    message: 'That version was published with another text: publish a new version',
  },
  'terms-not-latest': { status: 409, message: 'That is not the latest version of the terms' },
  'no-terms-published': { status: 409, message: 'No terms have been published: publish a version first' },
  'not-verified': {
    status: 403,
    message: 'People can be invited once the platform team has approved your organisation',
  },
  'not-approved': { status: 403, message: notApprovedMessage },
  'key-unknown': { status: 404, message: 'There is no such key' },
  'key-not-in-force': { status: 409, message: 'The key is disabled or expired: create a new one' },
  'key-owner-disabled': {
    status: 409,
    message: 'The person whose key it is is disabled: disable the key and create a new one',
  },
  'key-without-mode': { status: 409, message: 'The key has no recorded mode: create a new one' },
  'expiry-passed': { status: 400, message: 'expiresAt: must be in the future' },
  'too-many-keys': {
    status: 409,
    message: `An organisation has at most ${mostKeysInForce} keys in force in a mode: disable one that is not needed`,
  },
} satisfies Record<AdministrationRefusal, RefusalReply>;

export function refuse(res: Response, reason: AdministrationRefusal): void {
  sendRefusal(res, administrationRefusals[reason]);
}

export function sendRefusal(res: Response, { status, message, retryAfterSeconds }: RefusalReply): void {
  if (retryAfterSeconds !== undefined) res.setHeader('Retry-After', retryAfterSeconds);
  res.status(status).json({ message });
}
