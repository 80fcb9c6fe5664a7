/** Facts of the organisation that all its people may read. */
import type { OrganisationReply } from '@offer-ads/contracts/portal/organisation-api';
import type { SessionReply } from '@offer-ads/contracts/portal/session-api';
import { useQuery } from '@tanstack/preact-query';
import { usePortal } from './session.ts';

export function organisationKey({ organisation }: SessionReply) {
  return [organisation.id, 'organisation'] as const;
}

export function useOrganisation() {
  const { api, session } = usePortal();
  return useQuery<OrganisationReply>({
    queryKey: organisationKey(session),
    queryFn: ({ signal }) => api.read('/organisation', signal),
  });
}
