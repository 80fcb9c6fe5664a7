/** The interests that can be targeted, in memory. */
import { type Cached, cache } from '../cached.ts';
import type { InterestsStore } from './interests-store.ts';

export type CachedInterests = Pick<Cached<unknown>, 'refresh'> & {
  readonly active: () => ReadonlySet<number>;
  /** Stores a newer list; this replica uses it from then on. */
  readonly replace: InterestsStore['replace'];
};

/** At most 5,000, the limit of a catalogue (contracts, `catalogueReplacement`). */
export async function cacheInterests(store: InterestsStore): Promise<CachedInterests> {
  const cached = await cache(store.active);
  return {
    active: cached.current,
    refresh: cached.refresh,
    replace: async (list) => {
      await store.replace(list);
      await cached.refresh();
    },
  };
}
