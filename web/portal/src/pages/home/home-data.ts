/** The data of the home page, as far as the role may read it. */

import type { PortalListReply } from '@offer-ads/contracts/portal/offers-api';
import type {
  CallsReply,
  KeysReply,
  PeopleOfOrganisation,
} from '@offer-ads/contracts/portal/organisation-api';
import { useQuery } from '@tanstack/preact-query';
import { useBalance } from '../../amounts.ts';
import { useOrganisation } from '../../organisation.ts';
import { usePortal } from '../../session.ts';

export function useHome() {
  const { api, may, mode, scope, session } = usePortal();
  const { id } = session.organisation;
  return {
    organisation: useOrganisation(),
    balance: useBalance(),
    keys: useQuery<KeysReply>({
      queryKey: [id, 'keys'],
      queryFn: ({ signal }) => api.read('/keys', signal),
      enabled: may('keys'),
    }),
    people: useQuery<PeopleOfOrganisation>({
      queryKey: [id, 'people'],
      queryFn: ({ signal }) => api.read('/people', signal),
      enabled: may('people'),
    }),
    offers: useQuery<PortalListReply>({
      queryKey: [...scope, 'offers', 'newest'],
      queryFn: ({ signal }) => api.read(`/${mode}/offers?limit=100`, signal),
      enabled: may('offers'),
    }),
    calls: useQuery<CallsReply>({
      queryKey: [id, 'calls', 'newest'],
      queryFn: ({ signal }) => api.read('/calls?limit=5', signal),
      enabled: may('calls'),
    }),
  };
}

export type HomeData = ReturnType<typeof useHome>;
