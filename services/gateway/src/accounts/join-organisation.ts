/** Who was invited signs in for the first time: from then on the address is known to be theirs, and others may write to it. */
import { OrganisationChanged } from '@offer-ads/contracts/events/gateway';
import type { Transaction } from '@offer-ads/platform/postgres/postgres';
import { announceOrganisation, existingOrganisation } from './change-organisation.ts';
import { findAwaiting, lockOrganisation, raiseVersion } from './organisations-store.ts';

/**
 * Call it before the people of an address are locked: whoever changes an organisation locks it before its people, so the two
 * never wait for each other in a ring. Returns what tells the other services, once the sign-in is written down.
 */
export async function beginJoining(tx: Transaction, personId: number): Promise<(at: Date) => Promise<void>> {
  const organisationId = await findAwaiting(tx, personId);
  if (organisationId === null) return async () => {};
  await lockOrganisation(tx, organisationId);
  return async (at) => {
    await raiseVersion(tx, organisationId);
    await announceOrganisation(tx, OrganisationChanged, await existingOrganisation(tx, organisationId), at);
  };
}
