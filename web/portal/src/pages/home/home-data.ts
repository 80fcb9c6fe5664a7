/** The data of the home page, as far as the role may read it. */

import type { PortalListReply, ResultsReply } from '@offer-ads/contracts/portal/offers-api';
import type {
  CallsReply,
  KeysReply,
  PeopleOfOrganisation,
} from '@offer-ads/contracts/portal/organisation-api';
import type { DayRange } from '@offer-ads/contracts/values/day-range';
import { keepPreviousData } from '@tanstack/preact-query';
import { useBalance } from '../../amounts/amounts.ts';
import { useOrganisation, useTimeZone } from '../../organisation.ts';
import { usePortal, useRead } from '../../session.ts';

/** The last days, or days that the person has chosen. */
export type Period = '7' | '30' | DayRange;

export function useHome(period: Period) {
  const { may, mode, scope, session } = usePortal();
  const { id } = session.organisation;
  return {
    organisation: useOrganisation(),
    balance: useBalance(),
    keys: useRead<KeysReply>([id, 'keys'], '/keys', { enabled: may('keys') }),
    people: useRead<PeopleOfOrganisation>([id, 'people'], '/people', { enabled: may('people') }),
    results: useResults(period),
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

function useResults(period: Period) {
  const { may, mode, scope } = usePortal();
  const timeZone = useTimeZone();
  const asked = typeof period === 'string' ? { days: period } : period;
  const query = new URLSearchParams({ ...asked, time_zone: timeZone ?? '' }).toString();
  return useRead<ResultsReply>([...scope, 'offers', 'results', query], `/${mode}/results?${query}`, {
    enabled: may('view-offers') && timeZone !== undefined,
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });
}

export type HomeData = ReturnType<typeof useHome>;
