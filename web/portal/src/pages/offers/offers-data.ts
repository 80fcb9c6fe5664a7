/** Queries of the offers pages. */
import type {
  OfferCreditReply,
  PortalListReply,
  PortalOffer,
  SeriesReply,
} from '@offer-ads/contracts/portal/offers-api';
import type { AnalyticsInterval } from '@offer-ads/contracts/public/api';
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/preact-query';
import { usePortal } from '../../session.ts';
import { type Filters, listQuery } from './list/filters.ts';

/** The platform's catalogue hardly ever changes. */
const CATALOGUE_MS = 10 * 60_000;

export function useCategories() {
  const { api, mode, scope } = usePortal();
  return useQuery<{ categories: { category_id: number; category_name: string }[] }>({
    queryKey: [...scope, 'categories'],
    queryFn: ({ signal }) => api.read(`/${mode}/categories`, signal),
    staleTime: CATALOGUE_MS,
  });
}

export function useInterests() {
  const { api, mode, scope } = usePortal();
  return useQuery<{ interests: { interest_id: number; interest_name: string }[] }>({
    queryKey: [...scope, 'interests'],
    queryFn: ({ signal }) => api.read(`/${mode}/interests`, signal),
    staleTime: CATALOGUE_MS,
  });
}

export function useOffers(filters: Filters) {
  const { api, mode, scope } = usePortal();
  return useInfiniteQuery({
    queryKey: [...scope, 'offers', 'list', filters],
    queryFn: ({ pageParam, signal }) =>
      api.read<PortalListReply>(`/${mode}/offers?${listQuery(filters, pageParam)}`, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ pagination }: PortalListReply) => pagination.next_cursor,
    placeholderData: keepPreviousData,
  });
}

/** @param everyMs repeats the query this often, while the offer may change without an action of the person */
export function useOffer(id: string, everyMs: (offer: PortalOffer | undefined) => number | false) {
  const { api, mode, scope } = usePortal();
  return useQuery<PortalOffer>({
    queryKey: [...scope, 'offers', 'one', id],
    queryFn: ({ signal }) => api.read(`/${mode}/offers/${encodeURIComponent(id)}`, signal),
    refetchInterval: ({ state }) => everyMs(state.data),
  });
}

/** Repeated every few seconds, because the credit of an Active offer decreases every second. */
export function useCredit(id: number) {
  const { api, mode, scope } = usePortal();
  return useQuery<OfferCreditReply>({
    queryKey: [...scope, 'offers', 'credit', id],
    queryFn: ({ signal }) => api.read(`/${mode}/offers/${id}/credit`, signal),
    staleTime: 0,
    gcTime: 0,
    refetchInterval: 5_000,
  });
}

export function useSeries(id: number, interval: AnalyticsInterval) {
  const { api, mode, scope } = usePortal();
  return useQuery<SeriesReply>({
    queryKey: [...scope, 'offers', 'series', id, interval],
    queryFn: ({ signal }) => api.read(`/${mode}/offers/${id}/analytics/series?interval=${interval}`, signal),
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  });
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
