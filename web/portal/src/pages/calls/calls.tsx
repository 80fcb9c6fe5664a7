/** The call log: every request made with a key in the last 90 days, refused ones too. */
import type { CallsReply, KeysReply } from '@offer-ads/contracts/portal/organisation-api';
import { useInfiniteQuery, useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { BusyButton } from '../../../../ui/busy-button.tsx';
import { queryOf } from '../../../../ui/query-of.ts';
import { Empty, Failed, Loading } from '../../../../ui/states.tsx';
import { PortalPage } from '../../portal-page.tsx';
import { usePortal, useRead } from '../../session.ts';
import { type CallFilter, filterOf, isFiltered, requestOf } from './call-filter.ts';
import { CallTable } from './call-list.tsx';
import { CallsFilter } from './calls-filter.tsx';

export function Calls() {
  const { api, at, session } = usePortal();
  const { query, route } = useLocation();
  const queries = useQueryClient();
  const filter = filterOf(query);
  const queryKey = [session.organisation.id, 'calls', filter];
  const keys = useRead<KeysReply>([session.organisation.id, 'keys'], '/keys');
  const calls = useInfiniteQuery({
    queryKey,
    queryFn: ({ signal, pageParam }) => api.read<CallsReply>(requestOf(filter, pageParam), signal),
    initialPageParam: null as string | null,
    // A page may be short before the end: only the cursor marks the end.
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // Pages are not refreshed automatically; there is a button.
    staleTime: Number.POSITIVE_INFINITY,
  });
  const [refreshedAt, setRefreshedAt] = useState<Date | null>(null);
  const show = (next: CallFilter) => route(`${at('calls')}${queryOf(next)}`);
  const refresh = async () => {
    // Start again with the newest calls.
    await queries.resetQueries({ queryKey, exact: true });
    setRefreshedAt(new Date());
  };
  const listed = calls.data?.pages.flatMap((page) => page.calls) ?? [];

  return (
    <PortalPage
      title="Call log"
      lead="Requests made with your API keys in both modes, kept for 90 days. Bodies and IP addresses are not logged."
      actions={
        <>
          <BusyButton class="quiet" work={refresh}>
            Refresh
          </BusyButton>
          <span role="status" class="small muted">
            {refreshedAt !== null && `As of ${refreshedAt.toLocaleTimeString('en-GB')}`}
          </span>
        </>
      }
    >
      <CallsFilter filter={filter} keys={keys.data?.keys ?? []} show={show} />
      {calls.isPending && <Loading what="calls" lines={8} />}
      {calls.isError && listed.length === 0 && <Failed error={calls.error} retry={calls.refetch} />}
      {calls.isSuccess && listed.length === 0 && !calls.hasNextPage && (
        <Empty title={isFiltered(filter) ? 'No matching calls' : 'No calls yet'}>
          <p class="muted">
            {isFiltered(filter)
              ? 'Remove a filter, or choose another period.'
              : 'Calls of your programs with an API key appear here after a moment.'}
          </p>
        </Empty>
      )}
      {listed.length > 0 && (
        <div class="card">
          <CallTable calls={listed} keys={keys.data?.keys ?? []} />
        </div>
      )}
      {calls.isSuccess && listed.length === 0 && calls.hasNextPage && (
        <p>No matching calls in the period that was searched so far.</p>
      )}
      {calls.isFetchNextPageError && <Failed error={calls.error} retry={calls.fetchNextPage} />}
      {calls.hasNextPage && !calls.isFetchNextPageError && (
        <div class="row">
          <BusyButton class="quiet" work={calls.fetchNextPage}>
            {listed.length > 0 ? 'Load more' : 'Search older calls'}
          </BusyButton>
          <span role="status" class="small muted">
            {calls.isFetchingNextPage
              ? 'Loading …'
              : listed.length > 0 && `${listed.length} ${listed.length === 1 ? 'call' : 'calls'} listed`}
          </span>
        </div>
      )}
    </PortalPage>
  );
}
