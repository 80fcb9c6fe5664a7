/** The people of an organisation: invites them and changes their roles (decision 26, roles). */
import { PersonInvited, type Role } from '@offer-ads/contracts/events/gateway';
import { publish } from '@offer-ads/platform/messaging/outbox';
import type { Transaction } from '@offer-ads/platform/postgres/postgres';
import type { Organisation, Person } from '../domain/accounts/organisation.ts';
import {
  type Actor,
  changePerson,
  maxInvitationsADay,
  maxInvitationsOfOrganisationADay,
  type PeopleRefusal,
  type PersonChange,
  type PersonRef,
  personIdOf,
  personOf,
  refuseAnotherMail,
  refuseInvitation,
  refuseInviter,
  refuseNewPerson,
} from '../domain/accounts/people.ts';
import { done, type Outcome, refused } from '../domain/outcome.ts';
import { issueSignInLink } from '../sign-in/sign-in-links.ts';
import { type Administration, type Change, changeOrganisation } from './change-organisation.ts';
import * as store from './people-store.ts';

export type PersonOutcome = Outcome<Person, PeopleRefusal | 'organisation-unknown'>;

export type People = ReturnType<typeof managePeople>;

/** `publicUrl`: the address of the portal. */
export function managePeople(o: Administration & { readonly publicUrl: string }) {
  const { postgres, clock } = o;

  /** The link is only in the event, which is published only if the transaction commits. */
  async function sendInvitation(tx: Transaction, organisation: Organisation, by: Actor, to: Person) {
    const at = clock.now();
    const invitationId = await store.insertInvitation(tx, { personId: to.id, sentBy: personIdOf(by), at });
    const { url, expiresAt } = await issueSignInLink(tx, {
      personId: to.id,
      purpose: 'invitation',
      at,
      publicUrl: o.publicUrl,
    });
    await publish(tx, PersonInvited, {
      subject: `invitation/${invitationId}`,
      subjectVersion: 1,
      at,
      data: {
        organisationId: organisation.id,
        organisationName: organisation.name,
        personId: to.id,
        email: to.email,
        role: to.role,
        invitedBy: inviterOf(organisation, by),
        signInUrl: url,
        expiresAt: expiresAt.toISOString(),
      },
    });
  }

  /** Invitations by strangers can exhaust the address's limit, so the platform team is exempt. */
  async function refuseMail(tx: Transaction, organisation: Organisation, by: Actor, email: string) {
    if (by === 'platform-team') return null;
    const toAddress = await store.lockInvitationsTo(tx, email, maxInvitationsADay);
    const byOrganisation = await store.invitationsBy(tx, organisation.id, maxInvitationsOfOrganisationADay);
    return refuseAnotherMail({ toAddress, byOrganisation }, clock.now());
  }

  return {
    list: (organisationId: number) => store.listPeople(postgres, { organisationId, at: clock.now() }),

    authors: (o: Parameters<typeof store.findAuthors>[1]) => store.findAuthors(postgres, o),

    invite: async (
      change: Change,
      { email, role }: { email: string; role: Role },
    ): Promise<PersonOutcome> => {
      const { by, organisationId } = change;
      const outcome = await changeOrganisation(o, change, async (tx, organisation) => {
        const refusal =
          refuseNewPerson(organisation, by, email) ?? (await refuseMail(tx, organisation, by, email));
        if (refusal !== null) return refused(refusal);
        const id = await store.insertPerson(tx, { organisationId, email, role, at: clock.now() });
        await sendInvitation(tx, organisation, by, { id, email, role, enabled: true });
        return done('changed');
      });
      return personIn(outcome, { email });
    },

    /** The same mail with a new link, for a person whose first link expired. */
    inviteAgain: async (change: Change, ref: PersonRef): Promise<PersonOutcome> => {
      const { by } = change;
      const outcome = await changeOrganisation(o, change, async (tx, organisation) => {
        const inviter = refuseInviter(organisation, by);
        if (inviter !== null) return refused(inviter);
        const person = personOf(organisation, ref);
        if (person === undefined) return refused('person-unknown');
        const joined = await store.hasJoined(tx, person.id);
        const refusal =
          refuseInvitation({ ...person, joined }) ?? (await refuseMail(tx, organisation, by, person.email));
        if (refusal !== null) return refused(refusal);
        await sendInvitation(tx, organisation, by, person);
        return done('unchanged');
      });
      return personIn(outcome, ref);
    },

    /** Takes effect at once for sessions and keys, which read the person on every request. */
    change: async (change: Change, ref: PersonRef, wanted: PersonChange): Promise<PersonOutcome> => {
      const outcome = await changeOrganisation(o, change, async (tx, organisation) => {
        const changed = changePerson(organisation, change.by, ref, wanted);
        if (!changed.ok) return changed;
        const before = personOf(organisation, ref);
        if (before?.role === changed.value.role && before.enabled === changed.value.enabled)
          return done('unchanged');
        await store.updatePerson(tx, changed.value);
        if (!changed.value.enabled)
          await store.endAccess(tx, { personIds: [changed.value.id], at: clock.now() });
        return done('changed');
      });
      return personIn(outcome, ref);
    },
  };
}

function personIn(
  outcome: Outcome<Organisation, PeopleRefusal | 'organisation-unknown'>,
  ref: PersonRef,
): PersonOutcome {
  if (!outcome.ok) return outcome;
  const person = personOf(outcome.value, ref);
  if (person === undefined) throw new Error('the person disappeared within the transaction');
  return done(person);
}

function inviterOf(organisation: Organisation, by: Actor): string | null {
  return by === 'platform-team' ? null : (personOf(organisation, { id: by.personId })?.email ?? null);
}
