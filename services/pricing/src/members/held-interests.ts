/** The interests that can be targeted, in memory. */
import { type Held, hold } from '../held.ts';
import type { InterestsStore } from './interests-store.ts';

export type HeldInterests = Pick<Held<unknown>, 'refresh'> & {
  readonly active: () => ReadonlySet<number>;
  /** Stores a newer list; this replica uses it from then on. */
  readonly replace: InterestsStore['replace'];
};

/** At most 5,000, the limit of a catalogue (contracts, `catalogueReplacement`). */
export async function holdInterests(store: InterestsStore): Promise<HeldInterests> {
  const held = await hold(store.active);
  return {
    active: held.current,
    refresh: held.refresh,
    replace: async (list) => {
      await store.replace(list);
      await held.refresh();
    },
  };
}
