/** Facts of the organisation that all its people may read. */
import type { OrganisationReply } from '@offer-ads/contracts/portal/organisation-api';
import type { SessionReply } from '@offer-ads/contracts/portal/session-api';
import { usePortal, useRead } from './session.ts';

export function organisationKey({ organisation }: SessionReply) {
  return [organisation.id, 'organisation'] as const;
}

export function useOrganisation() {
  return useRead<OrganisationReply>(organisationKey(usePortal().session), '/organisation');
}
