/** Steps at which the world stands still until a test lets it go on. */
import { expect } from '@jest/globals';
import { eventually } from '@offer-ads/testing/waiting/eventually';

export type Standstill = {
  /** Stands still here, if it is to. */
  readonly at: (name: string, isToStop: boolean) => Promise<void>;
  /** Waits until exactly these stand still. */
  readonly reached: (names: readonly string[]) => Promise<void>;
  /** None of them goes on: each fails where it stands. */
  readonly giveUp: () => void;
};

export function standstill(): Standstill {
  const standing = new Set<string>();
  const over = Promise.withResolvers<never>();
  over.promise.catch(() => {});
  return {
    at: async (name, isToStop) => {
      if (!isToStop) return;
      standing.add(name);
      await over.promise;
    },
    reached: (names) => eventually(() => expect([...standing].toSorted()).toEqual(names.toSorted())),
    giveUp: () => over.reject(new Error('nobody waits for this any more')),
  };
}
