/** The data of the home page, as far as the role may read it. */

import type { PortalListReply } from '@offer-ads/contracts/portal/offers-api';
import type {
  CallsReply,
  KeysReply,
  PeopleOfOrganisation,
} from '@offer-ads/contracts/portal/organisation-api';
import { useBalance } from '../../amounts.ts';
import { useOrganisation } from '../../organisation.ts';
import { usePortal, useRead } from '../../session.ts';

export function useHome() {
  const { may, mode, scope, session } = usePortal();
  const { id } = session.organisation;
  return {
    organisation: useOrganisation(),
    balance: useBalance(),
    keys: useRead<KeysReply>([id, 'keys'], '/keys', { enabled: may('keys') }),
    people: useRead<PeopleOfOrganisation>([id, 'people'], '/people', { enabled: may('people') }),
    offers: useRead<PortalListReply>([...scope, 'offers', 'newest'], `/${mode}/offers?limit=100`, {
      enabled: may('offers'),
    }),
    calls: useRead<CallsReply>([id, 'calls', 'newest'], '/calls?limit=5', { enabled: may('calls') }),
  };
}

export type HomeData = ReturnType<typeof useHome>;
