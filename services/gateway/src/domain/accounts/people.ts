/** Who may change whom in an organisation, and the rules about its people (decision 26, roles). */

import type { Role } from '@offer-ads/contracts/events/gateway';
import { DAY_MS } from '@offer-ads/contracts/values/durations';
import type { Organisation, Person } from './organisation.ts';
import { may, type Permission } from './roles.ts';

/** More than any advertiser needs; every change publishes all people of the organisation. */
export const maxPeople = 500;
/**
 * Any number of organisations may invite an address, and anyone may register organisations. This limits the unwanted mails to one address.
 */
export const maxInvitationsADay = 5;
/** More colleagues than join in a day, and too few to send mails to strangers: the mail contains the organisation's name. */
export const maxInvitationsOfOrganisationADay = 50;

/** Who makes a change: a person of the organisation, or the platform team on its behalf. */
export type Actor = { readonly personId: number } | 'platform-team';
/** People refer to each other by id, the platform team by address. */
export type PersonRef = { readonly id: number } | { readonly email: string };
/** Omitted fields stay unchanged. */
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
 * Checked again under the lock of each change, because the actor may have been disabled or lost the role meanwhile. Of two admins who
 * remove each other, one succeeds.
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

/**
 * Stands for the address of an erased person, where the record of an organisation must keep who did something. The top-level domain
 * `invalid` never exists, so no mail can go there.
 */
export function erasedAddress(personId: number): string {
  return `erased-${personId}@erased.invalid`;
}

/** The id to record for a change; null for the platform team. */
export function personIdOf(actor: Actor): number | null {
  return actor === 'platform-team' ? null : actor.personId;
}

/**
 * An invitation is a mail to an unknown person, so its sender must be known: the organisation was registered or approved by the platform
 * team, and the inviting person has proved their address by signing in.
 */
function isVerified(organisation: Organisation): boolean {
  return organisation.approval !== null;
}

/** Null if the actor may send invitations. */
export function refuseInviter(organisation: Organisation, actor: Actor): PeopleRefusal | null {
  if (!actorMay(organisation, actor, 'people')) return 'not-allowed';
  return actor === 'platform-team' || isVerified(organisation) ? null : 'not-verified';
}

/** Null if the address may be added. */
export function refuseNewPerson(
  organisation: Organisation,
  actor: Actor,
  email: string,
): PeopleRefusal | null {
  const refusal = refuseInviter(organisation, actor);
  if (refusal !== null) return refusal;
  if (personOf(organisation, { email }) !== undefined) return 'person-exists';
  return organisation.people.length >= maxPeople ? 'too-many-people' : null;
}

/** Null if the person may be invited again. */
export function refuseInvitation(person: Person & { readonly joined: boolean }): PeopleRefusal | null {
  if (!person.enabled) return 'person-disabled';
  return person.joined ? 'already-joined' : null;
}

/** The times of the latest invitations, in any order. */
export type SentInvitations = {
  /** From all organisations to the address. */
  readonly toAddress: readonly Date[];
  /** From people of the organisation. The platform team has no limit. */
  readonly byOrganisation: readonly Date[];
};

/** Null if another invitation may be sent to the address. */
export function refuseAnotherMail(sent: SentInvitations, now: Date): PeopleRefusal | null {
  const lately = (sentAt: readonly Date[]) =>
    sentAt.filter((at) => now.getTime() - at.getTime() < DAY_MS).length;
  if (lately(sent.toAddress) >= maxInvitationsADay) return 'invited-too-often';
  return lately(sent.byOrganisation) >= maxInvitationsOfOrganisationADay ? 'too-many-invitations' : null;
}

/**
 * Returns the changed person, or why the change is refused. Only admins change people, and admin is the highest role, so no one can raise
 * their own. An organisation must keep an enabled admin, who can repair everything else. Only the platform team may disable the last admin:
 * it must be able to stop a stolen account at once, and it can appoint another admin.
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

/** A person who was invited and never signed in does not count: the address may be wrong or belong to a stranger. */
export function isActingAdmin(person: Person): boolean {
  return person.enabled && person.role === 'admin' && person.awaited !== true;
}
