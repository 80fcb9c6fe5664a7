/** Erases a person from the gateway (decision 256, erasure of a person): the address, with everything that leads to it. */
import type { PersonErasureReply } from '@offer-ads/contracts/admin/gateway-api';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import type { Organisation } from '../domain/accounts/organisation.ts';
import { isActingAdmin } from '../domain/accounts/people.ts';
import { done, type Outcome, refused } from '../domain/outcome.ts';
import { type Administration, changeOrganisation } from './change-organisation.ts';
import * as store from './erasure-store.ts';
import { eraseFromNotes } from './manage-notes.ts';
import { findOrganisation } from './organisations-store.ts';
import { endAccess } from './people-store.ts';

export type ErasureRefusal = 'nobody-has-the-id';
export type ErasedPerson = { readonly email: string } | { readonly id: number };
export type Erasure = ReturnType<typeof erasePeople>;

const nothing = { sessions: 0, links: 0, signUps: 0 };

export function erasePeople(o: Administration) {
  const { postgres, clock } = o;

  async function describe({ personId, organisationId, role }: store.Membership) {
    const organisation = await findOrganisation(postgres, organisationId);
    if (organisation === null) throw new Error(`person ${personId} is in no organisation`);
    const { name: organisationName } = organisation;
    return {
      personId,
      organisationId,
      organisationName,
      role,
      isLastAdmin: isLastAdmin(organisation, personId),
    };
  }

  /** Under the organisation's lock, and announced like every change of its people: so other services forget the person too. */
  async function eraseMembership(
    { personId, organisationId }: store.Membership,
    address: string,
    deadline: Deadline,
  ) {
    const at = clock.now();
    await changeOrganisation(o, { organisationId, deadline }, async (tx, organisation) => {
      // A repetition at the same time was first.
      if (!organisation.people.some(({ id }) => id === personId)) return done('unchanged');
      await endAccess(tx, { personIds: [personId], at });
      await store.eraseMembership(tx, personId, at);
      await eraseFromNotes(tx, { organisationId, address, isLast: organisation.people.length === 1 });
      return done('changed');
    });
  }

  return {
    /**
     * Whatever was done before an interruption stays done, and a repetition does the rest. Memberships come first, because each writes an
     * event without the person, which replaces the earlier ones that are erased then.
     */
    erase: async (
      person: ErasedPerson,
      dryRun: boolean,
      deadline: Deadline,
    ): Promise<Outcome<PersonErasureReply, ErasureRefusal>> => {
      const found =
        'email' in person
          ? { address: person.email.toLowerCase() }
          : await store.addressOfPerson(postgres, person.id);
      if (found === null) return refused('nobody-has-the-id');
      const { address } = found;
      if (address === null) return done({ email: null, memberships: [], ...nothing, events: 0 });
      const all = await store.membershipsOf(postgres, address);
      const memberships = await Promise.all(all.map(describe));
      const answer = { email: address, memberships, ...(await store.countAddressRows(postgres, address)) };
      if (dryRun) return done({ ...answer, events: null });
      for (const membership of all) await eraseMembership(membership, address, deadline);
      const unsent = await postgres.transaction(async (tx) => {
        await store.eraseAddressRows(tx, address);
        return store.eraseUnsentEvents(tx, address);
      }, deadline);
      const sent = await store.eraseSentEvents(postgres, address);
      return done({ ...answer, events: unsent + sent });
    },
  };
}

function isLastAdmin({ people }: Organisation, personId: number): boolean {
  const admins = people.filter(isActingAdmin);
  return admins.length === 1 && admins[0]?.id === personId;
}
