/** The data of the home page, as far as the role may read it. */

import type { PortalListReply, ResultsReply } from '@offer-ads/contracts/portal/offers-api';
import type {
  CallsReply,
  KeysReply,
  PeopleOfOrganisation,
} from '@offer-ads/contracts/portal/organisation-api';
import { keepPreviousData } from '@tanstack/preact-query';
import { useBalance } from '../../amounts/amounts.ts';
import { useOrganisation, useTimeZone } from '../../organisation.ts';
import { usePortal, useRead } from '../../session.ts';

export type Days = 7 | 30;

export function useHome(days: Days) {
  const { may, mode, scope, session } = usePortal();
  const { id } = session.organisation;
  return {
    organisation: useOrganisation(),
    balance: useBalance(),
    keys: useRead<KeysReply>([id, 'keys'], '/keys', { enabled: may('keys') }),
    people: useRead<PeopleOfOrganisation>([id, 'people'], '/people', { enabled: may('people') }),
    results: useResults(days),
    ending: useRead<PortalListReply>(
      [...scope, 'offers', 'ending'],
      `/${mode}/offers?limit=5&sort=ending_soon`,
      { enabled: may('view-offers') },
    ),
    calls: useRead<CallsReply>([id, 'calls', 'newest', mode], `/calls?limit=5&mode=${mode.toUpperCase()}`, {
      enabled: may('calls'),
    }),
  };
}

function useResults(days: Days) {
  const { may, mode, scope } = usePortal();
  const timeZone = useTimeZone();
  const path = `/${mode}/results?days=${days}&time_zone=${encodeURIComponent(timeZone ?? '')}`;
  return useRead<ResultsReply>([...scope, 'offers', 'results', days, timeZone], path, {
    enabled: may('view-offers') && timeZone !== undefined,
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });
}

export type HomeData = ReturnType<typeof useHome>;
