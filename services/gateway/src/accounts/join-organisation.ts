/** An invited person signs in for the first time. This proves that the address is theirs, and other services may now send mail to it. */
import { OrganisationChanged } from '@offer-ads/contracts/events/gateway';
import type { Transaction } from '@offer-ads/platform/postgres/postgres';
import { announceOrganisation, existingOrganisation } from './change-organisation.ts';
import { findAwaiting, lockOrganisation, raiseVersion } from './organisations-store.ts';

/**
 * Call it before the people of an address are locked. Every change of an organisation locks the organisation before its people, so
 * deadlocks are impossible. Returns a function that publishes the change; call it after the sign-in is stored.
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
