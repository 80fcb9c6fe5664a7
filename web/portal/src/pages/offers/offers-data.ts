/** Queries of the offers pages. */
import type {
  OfferCreditReply,
  PortalGroup,
  PortalListReply,
  PortalOffer,
  SeriesReply,
} from '@offer-ads/contracts/portal/offers-api';
import type { AnalyticsInterval, CategoriesReply, InterestsReply } from '@offer-ads/contracts/public/api';
import type { DayRange } from '@offer-ads/contracts/values/day-range';
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/preact-query';
import { useTimeZone } from '../../organisation.ts';
import { usePortal, useRead } from '../../session.ts';
import { type Filters, listQuery } from './list/filters.ts';

/** The catalogue rarely changes. */
const CATALOGUE_MS = 10 * 60_000;

export function useCategories() {
  const { mode, scope } = usePortal();
  return useRead<CategoriesReply>([...scope, 'categories'], `/${mode}/categories`, {
    staleTime: CATALOGUE_MS,
  });
}

export function useInterests() {
  const { mode, scope } = usePortal();
  return useRead<InterestsReply>([...scope, 'interests'], `/${mode}/interests`, {
    staleTime: CATALOGUE_MS,
  });
}

export function useOffers(filters: Filters) {
  const { api, mode, scope } = usePortal();
  return useInfiniteQuery({
    queryKey: [...scope, 'offers', 'list', filters],
    queryFn: ({ pageParam, signal }) =>
      api.read<PortalListReply>(`/${mode}/offers${listQuery(filters, pageParam)}`, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ pagination }: PortalListReply) => pagination.next_cursor,
    placeholderData: keepPreviousData,
  });
}

/** @param everyMs repeats the query this often, while the offer may change without an action of the person */
export function useOffer(id: string, everyMs: (offer: PortalOffer | undefined) => number | false) {
  const { mode, scope } = usePortal();
  return useRead<PortalOffer>([...scope, 'offers', 'one', id], `/${mode}/offers/${encodeURIComponent(id)}`, {
    refetchInterval: ({ state }) => everyMs(state.data),
  });
}

/** Offers that were ordered together. @param everyMs as for one offer */
export function useGroup(id: string, everyMs: (group: PortalGroup | undefined) => number | false) {
  const { mode, scope } = usePortal();
  return useRead<PortalGroup>(
    [...scope, 'offers', 'group', id],
    `/${mode}/offer-groups/${encodeURIComponent(id)}`,
    {
      refetchInterval: ({ state }) => everyMs(state.data),
    },
  );
}

/** The newest offers with a part of their title in common, to find those that follow each other. */
export function useOffersTitled(title: string) {
  const { mode, scope } = usePortal();
  const query = new URLSearchParams({ search: title, limit: '100' }).toString();
  return useRead<PortalListReply>([...scope, 'offers', 'titled', title], `/${mode}/offers?${query}`);
}

/** What deletions would credit. Repeated, because the credit of an Active offer decreases every second. */
export function useCredits(ids: readonly number[]) {
  const { api, mode, scope } = usePortal();
  return useQuery({
    queryKey: [...scope, 'offers', 'credits', ids],
    queryFn: ({ signal }) =>
      Promise.all(ids.map((id) => api.read<OfferCreditReply>(`/${mode}/offers/${id}/credit`, signal))),
    staleTime: 0,
    gcTime: 0,
    refetchInterval: ids.length === 1 ? 5_000 : 15_000,
  });
}

/** What a chart is about. */
export type Charted = { readonly kind: 'offer' | 'offer-group'; readonly id: number };

/** The points are days of the organisation's time zone. */
export function useSeries({ kind, id }: Charted, period: AnalyticsInterval | DayRange) {
  const { mode, scope } = usePortal();
  const timeZone = useTimeZone();
  const query = seriesQuery(period, timeZone ?? '').toString();
  const path = `/${mode}/${kind}s/${id}/analytics/series?${query}`;
  return useRead<SeriesReply>([...scope, 'offers', 'series', kind, id, query], path, {
    enabled: timeZone !== undefined,
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  });
}

export function seriesQuery(period: AnalyticsInterval | DayRange, timeZone: string): URLSearchParams {
  const asked = typeof period === 'string' ? { interval: period } : period;
  return new URLSearchParams({ ...asked, time_zone: timeZone });
}

/** Call it after an action on an offer: reloads lists, the offer and the balance. */
export function useOffersChanged(): () => Promise<unknown> {
  const queries = useQueryClient();
  const { scope } = usePortal();
  return () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: [...scope, 'offers'] }),
      queries.invalidateQueries({ queryKey: [...scope, 'balance'] }),
      queries.invalidateQueries({ queryKey: [...scope, 'billing'] }),
    ]);
}
