/** Who may change whom in an organisation, and what must always hold of its people (decision 26, roles). */
import type { Role } from '@offer-ads/contracts/events/gateway';
import type { Organisation, Person } from './organisation.ts';
import { may, type Permission } from './roles.ts';

/** More than any advertiser employs; every change tells all of them to the other services. */
export const mostPeople = 500;
/** Mails that an address can be sent against its owner's will, however many organisations want it: anybody may register some. */
export const mostInvitationsADay = 5;
/** More colleagues than come in a day, too few to write to strangers with: the mail carries the organisation's name. */
export const mostInvitationsOfOrganisationADay = 50;
const dayMs = 24 * 60 * 60 * 1_000;

/** Who does something: a person of the organisation, or the platform team on its behalf. */
export type Actor = { readonly personId: number } | 'platform-team';
/** People know each other by id, the platform team knows them by address. */
export type PersonRef = { readonly id: number } | { readonly email: string };
/** What is left out stays as it is. */
export type PersonChange = { readonly role?: Role | undefined; readonly enabled?: boolean | undefined };

export type PeopleRefusal =
  | 'not-allowed'
  | 'not-verified'
  | 'person-unknown'
  | 'person-exists'
  | 'person-disabled'
  | 'too-many-people'
  | 'last-admin'
  | 'already-joined'
  | 'invited-too-often'
  | 'too-many-invitations';

/**
 * Asked again under the lock of each change: between the check of a request and its turn the actor may have been
 * disabled or have lost the role, so that of two admins who remove each other one succeeds.
 */
export function actorMay(organisation: Organisation, actor: Actor, permission: Permission): boolean {
  if (actor === 'platform-team') return true;
  const person = personOf(organisation, { id: actor.personId });
  return organisation.enabled && person?.enabled === true && may(person.role, permission);
}

export function personOf(organisation: Organisation, ref: PersonRef): Person | undefined {
  if ('id' in ref) return organisation.people.find(({ id }) => id === ref.id);
  const email = ref.email.toLowerCase();
  return organisation.people.find((person) => person.email.toLowerCase() === email);
}

/** The id to write down for who did something; null is the platform team. */
export function personIdOf(actor: Actor): number | null {
  return actor === 'platform-team' ? null : actor.personId;
}

/**
 * An invitation is a mail to somebody whom we do not know, so we must know who causes it. The platform team has registered or
 * approved the organisation, and whoever invites has signed in, which proves their address.
 */
function isVerified(organisation: Organisation): boolean {
  return organisation.approval !== null;
}

/** Null: the actor may send invitations. */
export function refuseInviter(organisation: Organisation, actor: Actor): PeopleRefusal | null {
  if (!actorMay(organisation, actor, 'people')) return 'not-allowed';
  return actor === 'platform-team' || isVerified(organisation) ? null : 'not-verified';
}

/** Null: the address may be added. */
export function refuseNewPerson(
  organisation: Organisation,
  actor: Actor,
  email: string,
): PeopleRefusal | null {
  const refusal = refuseInviter(organisation, actor);
  if (refusal !== null) return refusal;
  if (personOf(organisation, { email }) !== undefined) return 'person-exists';
  return organisation.people.length >= mostPeople ? 'too-many-people' : null;
}

/** Null: the person may be invited once more. */
export function refuseInvitation(person: Person & { readonly joined: boolean }): PeopleRefusal | null {
  if (!person.enabled) return 'person-disabled';
  return person.joined ? 'already-joined' : null;
}

/** When the latest invitations went out, in any order. */
export type SentInvitations = {
  /** From all organisations. */
  readonly toAddress: readonly Date[];
  /** By its own people; the platform team sends as many as it needs. */
  readonly byOrganisation: readonly Date[];
};

/** Null: another one may go to the address. */
export function refuseAnotherMail(sent: SentInvitations, now: Date): PeopleRefusal | null {
  const lately = (sentAt: readonly Date[]) =>
    sentAt.filter((at) => now.getTime() - at.getTime() < dayMs).length;
  if (lately(sent.toAddress) >= mostInvitationsADay) return 'invited-too-often';
  return lately(sent.byOrganisation) >= mostInvitationsOfOrganisationADay ? 'too-many-invitations' : null;
}

/**
 * The person as changed, or why not. Only admins change people, and theirs is the highest role: nobody raises their own.
 * An organisation keeps an enabled admin, or nobody could repair anything; only the platform team may disable the last
 * one, because an account that was taken over must be stopped at once, and the team can appoint another.
 */
export function changePerson(
  organisation: Organisation,
  actor: Actor,
  ref: PersonRef,
  change: PersonChange,
): { readonly ok: true; readonly value: Person } | { readonly ok: false; readonly reason: PeopleRefusal } {
  if (!actorMay(organisation, actor, 'people')) return { ok: false, reason: 'not-allowed' };
  const before = personOf(organisation, ref);
  if (before === undefined) return { ok: false, reason: 'person-unknown' };
  const after = { ...before, role: change.role ?? before.role, enabled: change.enabled ?? before.enabled };
  const others = organisation.people.filter(({ id }) => id !== before.id);
  const mayLeaveNone = actor === 'platform-team' && change.role === undefined;
  if (isActingAdmin(before) && !isActingAdmin(after) && !others.some(isActingAdmin) && !mayLeaveNone)
    return { ok: false, reason: 'last-admin' };
  return { ok: true, value: after };
}

/** Whoever was invited and never came may have been mistyped, or be a stranger. */
function isActingAdmin(person: Person): boolean {
  return person.enabled && person.role === 'admin' && person.awaited !== true;
}
