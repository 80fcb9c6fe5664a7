/** The queries of webhooks. */
import type { MessagesReply } from '@offer-ads/contracts/public/webhooks-api';
import { useInfiniteQuery, useQueryClient } from '@tanstack/preact-query';
import { queryOf } from '../../../../ui/query-of.ts';
import type { Portal } from '../../portal.ts';
import { usePortal } from '../../session.ts';

export function webhooksKey(scope: Portal['scope']) {
  return [...scope, 'webhooks'] as const;
}

/** Reads lists, single webhooks and messages again. */
export function useWebhooksChanged(): () => Promise<void> {
  const { scope } = usePortal();
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: webhooksKey(scope) });
}

/** A message that was sent just now has its result a moment later. */
const pendingAgainMs = 2_000;

export function useMessages(webhookId: string, status: string) {
  const { api, mode, scope } = usePortal();
  return useInfiniteQuery({
    queryKey: [...webhooksKey(scope), webhookId, 'messages', status],
    queryFn: ({ signal, pageParam: cursor }) => {
      const query = queryOf({ limit: '20', status, cursor });
      return api.read<MessagesReply>(`/${mode}/webhooks/${webhookId}/messages${query}`, signal);
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ pagination }) => pagination.next_cursor,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ data }) => data.some(isSentNow)) === true ? pendingAgainMs : false,
  });
}

function isSentNow({ status, next_attempt_datetime: next }: MessagesReply['data'][number]): boolean {
  return status === 'pending' && next !== null && Date.parse(next) < Date.now() + 10_000;
}
