/** Queries of the balance page. */
import type {
  InvoicesReply,
  LowBalanceReply,
  StatementReply,
} from '@offer-ads/contracts/internal/billing-api';
import { keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/preact-query';
import { queryOf } from '../../../../ui/query-of.ts';
import { usePortal, useRead } from '../../session.ts';
import { parametersOf, type StatementFilter } from './statement-filter.ts';

export function useStatement(filter: StatementFilter) {
  return usePages<StatementReply>('statement', parametersOf(filter));
}

/** @param file a number of a document, with `.html` or `.pdf` */
export function documentAddress(mode: string, file: string): string {
  return `/portal/api/${mode}/billing/invoices/${file}`;
}

/** Of one offer: its invoice and the credit notes of refunds. */
export function useInvoicesOf(offerId: number, o: { readonly enabled: boolean }) {
  const { mode, scope } = usePortal();
  return useRead<InvoicesReply>(
    [...scope, 'billing', 'invoices-of', offerId],
    `/${mode}/billing/invoices?limit=25&offerId=${offerId}`,
    o,
  );
}

export function useInvoices() {
  return usePages<InvoicesReply>('invoices', {});
}

function usePages<Page extends { readonly nextCursor: string | null }>(
  list: string,
  parameters: Readonly<Record<string, string | null>>,
) {
  const { api, mode, scope } = usePortal();
  return useInfiniteQuery({
    queryKey: [...scope, 'billing', list, parameters],
    queryFn: ({ pageParam: cursor, signal }) =>
      api.read<Page>(`/${mode}/billing/${list}${queryOf({ limit: '25', ...parameters, cursor })}`, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }: Page) => nextCursor,
    placeholderData: keepPreviousData,
  });
}

export function useThreshold() {
  const { mode, scope } = usePortal();
  return useRead<LowBalanceReply>(
    [...scope, 'billing', 'threshold'],
    `/${mode}/billing/low-balance-threshold`,
  );
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
