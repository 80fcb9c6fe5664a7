/** Queries of the balance page. */
import type {
  InvoicesReply,
  LowBalanceReply,
  StatementReply,
} from '@offer-ads/contracts/internal/billing-api';
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/preact-query';
import { usePortal } from '../../session.ts';
import type { Month } from './periods.ts';

export function useStatement(period: Month | null) {
  const { api, mode, scope } = usePortal();
  const range = period === null ? '' : `&from=${period.from.toISOString()}&to=${period.to.toISOString()}`;
  return useInfiniteQuery({
    queryKey: [...scope, 'billing', 'statement', range],
    queryFn: ({ pageParam, signal }) =>
      api.read<StatementReply>(
        `/${mode}/billing/statement?limit=25${range}${pageParam === null ? '' : `&cursor=${encodeURIComponent(pageParam)}`}`,
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }: StatementReply) => nextCursor,
    placeholderData: keepPreviousData,
  });
}

export function useInvoices() {
  const { api, mode, scope } = usePortal();
  return useInfiniteQuery({
    queryKey: [...scope, 'billing', 'invoices'],
    queryFn: ({ pageParam, signal }) =>
      api.read<InvoicesReply>(
        `/${mode}/billing/invoices?limit=25${pageParam === null ? '' : `&cursor=${encodeURIComponent(pageParam)}`}`,
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }: InvoicesReply) => nextCursor,
  });
}

export function useThreshold() {
  const { api, mode, scope } = usePortal();
  return useQuery<LowBalanceReply>({
    queryKey: [...scope, 'billing', 'threshold'],
    queryFn: ({ signal }) => api.read(`/${mode}/billing/low-balance-threshold`, signal),
  });
}

export function useMoneyChanged(): () => Promise<unknown> {
  const queries = useQueryClient();
  const { scope } = usePortal();
  return () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: [...scope, 'balance'] }),
      queries.invalidateQueries({ queryKey: [...scope, 'billing'] }),
    ]);
}
