/** Who changed an offer and when, newest first. */

import type { ChangesReply, OfferChange, PortalOffer } from '@offer-ads/contracts/portal/offers-api';
import type { AuthorsReply } from '@offer-ads/contracts/portal/organisation-api';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/preact-query';
import { queryOf } from '../../../../../ui/query-of.ts';
import { Loaded, LoadMore } from '../../../../../ui/states.tsx';
import { When } from '../../../../../ui/when.tsx';
import { usePortal, useRead } from '../../../session.ts';

const words: Record<OfferChange['what'], string> = {
  created: 'Created',
  edited: 'Edited',
  paused: 'Paused',
  resumed: 'Resumed',
  extended: 'Extended',
  review_requested: 'Asked for another look',
  deleted: 'Deleted',
  disabled: 'Disabled',
  enabled: 'Enabled again',
};

export function Changes({ offer }: { readonly offer: PortalOffer }) {
  const { api, at, mode, scope } = usePortal();
  const changes = useInfiniteQuery({
    queryKey: [...scope, 'offers', 'changes', offer.offer_id],
    queryFn: ({ signal, pageParam }) => {
      const query = queryOf({ cursor: `${pageParam ?? ''}` });
      return api.read<ChangesReply>(`/${mode}/offers/${offer.offer_id}/changes${query}`, signal);
    },
    initialPageParam: null as number | null,
    getNextPageParam: ({ next_cursor }: ChangesReply) => next_cursor,
  });
  const listed = changes.data?.pages.flatMap(({ data }) => data) ?? [];
  const nameOf = useNames(listed);
  return (
    <section class="card" aria-labelledby="offer-changes">
      <h2 id="offer-changes">Changes</h2>
      <Loaded query={changes} what="changes" lines={2}>
        {() => (
          <ol class="changes">
            {listed.map((change) => (
              <li key={change.change_id}>
                <strong>{words[change.what]}</strong>
                {change.fields.length > 0 && `: ${change.fields.map(fieldText).join(', ')}`}
                {change.following_offer_id !== null && (
                  <>
                    {' '}
                    by{' '}
                    <a href={at(`offers/${change.following_offer_id}`)}>offer {change.following_offer_id}</a>
                  </>
                )}
                <div class="muted small">
                  {nameOf(change.by)}, <When at={change.changed_datetime} />
                </div>
              </li>
            ))}
          </ol>
        )}
      </Loaded>
      <LoadMore of={changes} />
    </section>
  );
}

const fieldText = (field: string) => field.replaceAll('_', ' ');

/** Names come from another call, because they go when a person is erased. */
function useNames(changes: readonly OfferChange[]): (by: OfferChange['by']) => string {
  const { scope } = usePortal();
  const ids = (kind: 'person' | 'api_key') =>
    [
      ...new Set(
        changes.flatMap(({ by }) => {
          if (by.kind !== kind) return [];
          return by.kind === 'person' ? [by.person_id] : by.kind === 'api_key' ? [by.key_id] : [];
        }),
      ),
    ]
      // As many as one call may ask for.
      .slice(0, 100)
      .join(',');
  const [people, keys] = [ids('person'), ids('api_key')];
  const path = `/authors${queryOf({ people, keys })}`;
  const { data } = useRead<AuthorsReply>([...scope, 'authors', people, keys], path, {
    enabled: people !== '' || keys !== '',
    placeholderData: keepPreviousData,
  });
  return (by) => {
    switch (by.kind) {
      case 'staff':
        return 'Platform team';
      case 'api_key': {
        const key = data?.keys.find(({ id }) => id === by.key_id);
        return `API key ${key === undefined ? '' : `…${key.lastFour}`}`.trim();
      }
      case 'person':
        if (data === undefined) return 'A colleague';
        return data.people.find(({ id }) => id === by.person_id)?.email ?? 'A person who has left';
    }
  };
}
