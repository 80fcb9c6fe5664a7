/** All refusals of the gateway with their replies (decision 19, bodies of refusals): one row per reason. */
import type { ServerResponse } from 'node:http';
import { mostNotes } from '@offer-ads/contracts/admin/gateway-api';
import type { Refusal } from '@offer-ads/contracts/public/api';
import { savedPlaceLimits } from '@offer-ads/contracts/values/offer-limits';
import { auditTarget } from '@offer-ads/platform/admin/audit';
import { sendJson } from '@offer-ads/platform/http/replies';
import type { Response } from 'express';
import type { OrganisationRefusal } from '../accounts/change-organisation.ts';
import type { ErasureRefusal } from '../accounts/erase-person.ts';
import type { NoteRefusal } from '../accounts/manage-notes.ts';
import type { SavedPlaceRefusal } from '../accounts/manage-saved-places.ts';
import type { TermsRefusal } from '../accounts/manage-terms.ts';
import type { ApprovalRefusal } from '../domain/accounts/approval.ts';
import {
  maxInvitationsADay,
  maxInvitationsOfOrganisationADay,
  maxPeople,
  type PeopleRefusal,
} from '../domain/accounts/people.ts';
import type { AdmissionRefusal } from '../domain/keys/admission.ts';
import { maxKeysInForce } from '../domain/keys/key-state.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { KeyRefusal } from '../keys/manage-keys.ts';
import { noteReturnCode } from '../public-api/call-log.ts';

type ReplyToKey = { readonly status: number; readonly body: { readonly message: string } | Refusal };
type ReplyToPerson = {
  readonly status: number;
  readonly message: string;
  readonly retryAfterSeconds?: number;
};
type AdministrationRefusal =
  | ApprovalRefusal
  | OrganisationRefusal
  | PeopleRefusal
  | ErasureRefusal
  | TermsRefusal
  | SavedPlaceRefusal
  | NoteRefusal
  | KeyRefusal;
/** `toPeople`: for people of an organisation, if their reply differs from that of the platform team. */
type AdministrationReplies = { readonly toStaff: ReplyToPerson; readonly toPeople?: ReplyToPerson };

/** The same for things that do not exist and for things of another organisation. */
const notFound = { status: 404, message: 'Not found' };
/** For LIVE mode of an organisation that waits for approval. */
const notApproved =
  'Your organisation is not approved for LIVE mode yet. Use TEST mode until the platform team has approved it.';
const approvalWithdrawn =
  'The platform team has withdrawn the approval of your organisation for LIVE mode. You can read, pause, resume and delete your offers and read your invoices. Nothing new can be bought. The portal shows the reason.';
const staff = (status: number, message: string): AdministrationReplies => ({ toStaff: { status, message } });
/** The oldest of the invitations may be nearly a day old, so an hour's wait may be enough. */
const tryLater = (message: string): AdministrationReplies => ({
  toStaff: { status: 429, message: `${message}: try again later`, retryAfterSeconds: 3_600 },
});

const coded = (status: number, message: string): ReplyToKey => ({
  status,
  body: { return_code: 'E1', status: 'Error', code: status, message },
});

export const refusals = {
  // Specification, Authentication item 8: the same words for every reason, so that the answer does not show which keys exist.
  unauthorised: { toKey: { status: 401, body: { message: 'Unauthorised' } } },
  'key-without-mode': {
    // Specification, Authentication item 7.
    toKey: coded(
      401,
      'This API key has no recorded mode. Create a new key under Manage API Keys and use it instead.',
    ),
    ...staff(409, 'The key has no recorded mode: create a new one'),
  },
  'not-approved': {
    // 401 as for a key without a mode: every endpoint may answer it, and a retry does not help.
    toKey: coded(401, notApproved),
    ...staff(403, notApproved),
  },
  'approval-withdrawn': {
    toKey: coded(401, approvalWithdrawn),
    ...staff(403, approvalWithdrawn),
  },
  'address-not-allowed': {
    toKey: coded(
      403,
      'This API key may not be used from this IP address. An admin sets the addresses of a key under Manage API Keys.',
    ),
  },
  'key-only-reads': {
    toKey: coded(403, 'This API key only reads. Use a key that may create and change.'),
  },
  'organisation-unknown': { ...staff(404, 'There is no such organisation'), toPeople: notFound },
  'not-allowed': staff(403, 'Your role in the organisation does not allow this'),
  'person-unknown': { ...staff(404, 'The organisation has no such person'), toPeople: notFound },
  'nobody-has-the-id': staff(404, 'There is no person with this id'),
  'person-exists': staff(409, 'The organisation has a person with that email address already'),
  'person-disabled': staff(409, 'The person is disabled: enable the person first'),
  'too-many-people': staff(409, `An organisation has at most ${maxPeople} people`),
  'last-admin': staff(
    409,
    'The organisation would be left without an enabled admin: make somebody else admin first (who was invited counts once they have signed in)',
  ),
  'already-joined': staff(
    409,
    'The person has signed in before and needs no invitation: they can ask for a link to sign in',
  ),
  'invited-too-often': tryLater(`The address was sent ${maxInvitationsADay} invitations within a day`),
  'too-many-invitations': tryLater(
    `An organisation sends at most ${maxInvitationsOfOrganisationADay} invitations within a day`,
  ),
  'not-verified': staff(403, 'People can be invited once the platform team has approved your organisation'),
  'place-unknown': { toStaff: notFound },
  'place-exists': staff(409, 'A place with this name is saved already: choose another name'),
  'too-many-places': staff(409, `At most ${savedPlaceLimits.most} places can be saved: delete one first`),
  'note-unknown': staff(404, 'The organisation has no such note'),
  'too-many-notes': staff(409, `An organisation has at most ${mostNotes} notes: delete one first`),
  'terms-superseded': staff(409, 'That version was published before and has been superseded'),
  'terms-differ': staff(409, 'That version was published with another text or date: publish a new version'),
  'terms-past': staff(400, 'holdsFrom: must be in the future; leave it out for a version that holds at once'),
  'terms-unknown': { ...staff(404, 'There is no such version of the terms'), toPeople: notFound },
  'terms-not-latest': staff(409, 'That is not the latest version of the terms'),
  'no-terms-published': {
    ...staff(409, 'No terms have been published: publish a version first'),
    toPeople: { status: 409, message: 'No terms have been published yet' },
  },
  'key-unknown': { ...staff(404, 'There is no such key'), toPeople: notFound },
  'key-not-in-force': staff(409, 'The key is disabled or expired: create a new one'),
  'key-owner-disabled': staff(409, 'The owner of the key is disabled: disable the key and create a new one'),
  'expiry-passed': staff(400, 'expiresAt: must be in the future'),
  'too-many-keys': staff(
    409,
    `An organisation has at most ${maxKeysInForce} active keys in a mode: disable one that is not needed`,
  ),
} satisfies Record<AdmissionRefusal, { toKey: ReplyToKey }> &
  Record<AdministrationRefusal, AdministrationReplies>;

/** On the public API. */
export function refuseKey(res: ServerResponse, reason: AdmissionRefusal): void {
  const { status, body }: ReplyToKey = refusals[reason].toKey;
  if ('return_code' in body) noteReturnCode(res, body.return_code);
  sendJson(res, status, body);
}

export function refuseStaff(res: Response, reason: AdministrationRefusal): void {
  sendRefusal(res, refusals[reason].toStaff);
}

/** In the portal. */
export function refusePerson(res: Response, reason: AdministrationRefusal): void {
  const replies: AdministrationReplies = refusals[reason];
  sendRefusal(res, replies.toPeople ?? replies.toStaff);
}

/** Answers a request of the platform team with the outcome's value, as `describe` shows it, or with its refusal. */
export function answerStaff<T>(
  res: Response,
  outcome: Outcome<T, AdministrationRefusal>,
  o: { status?: number; describe?: (value: T) => object } = {},
): void {
  if (!outcome.ok) return refuseStaff(res, outcome.reason);
  noteForAudit(res, outcome.value);
  res.status(o.status ?? 200).json(o.describe === undefined ? outcome.value : o.describe(outcome.value));
}

/** What a call is about is known only now for the keys of an organisation, and for what was made. */
function noteForAudit({ req }: Response, value: unknown): void {
  const { id, organisationId } = value as { readonly id?: unknown; readonly organisationId?: unknown };
  const words = req.path.split('/').slice(1);
  const kind = ['people', 'notes'].find((word) => words.includes(word)) ?? words[0];
  auditTarget(req, {
    ...(typeof organisationId === 'number' && { organisationId }),
    ...(typeof id === 'number' && { target: `${kind}/${id}` }),
  });
}

/** The same in the portal, whose replies always have a shape of their own. */
export function answerPerson<T>(
  res: Response,
  outcome: Outcome<T, AdministrationRefusal>,
  describe: (value: T) => object,
  status = 200,
): void {
  if (outcome.ok) res.status(status).json(describe(outcome.value));
  else refusePerson(res, outcome.reason);
}

function sendRefusal(res: Response, { status, message, retryAfterSeconds }: ReplyToPerson): void {
  if (retryAfterSeconds !== undefined) res.setHeader('Retry-After', retryAfterSeconds);
  res.status(status).json({ message });
}
