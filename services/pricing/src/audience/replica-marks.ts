/**
 * How a replica learns how current its audience is: it writes a mark to MongoDB. When the mark arrives in the change stream, counts include
 * everything that was written before it.
 */
import { randomUUID } from 'node:crypto';
import type { Mark, MembersFeed } from './members-feed-store.ts';

/** Several hours of marks; older ones give no useful age. */
const MAX_UNDER_WAY = 1_000;

export type ReplicaMarks = {
  /** Resolves when the mark is stored. */
  readonly set: () => Promise<Mark>;
  /** A mark of any replica has arrived in the stream. */
  readonly cameBack: (mark: Mark) => void;
  /** True when the mark has arrived; false if it has not arrived in time, or the signal ends the wait. */
  readonly awaited: (mark: Mark, withinMs: number, signal?: AbortSignal) => Promise<boolean>;
  /** How long ago the latest arrived mark was set; counts include everything that was written before that. */
  readonly ageMs: () => number | undefined;
};

export function replicaMarks(feed: Pick<MembersFeed, 'setMark'>): ReplicaMarks {
  const of = randomUUID();
  let lastSet = 0;
  let latest: Mark | undefined;
  let latestSetAtMs: number | undefined;
  /** Marks that were set but have not arrived yet, with the time of setting. */
  const underWay = new Map<number, number>();
  const waiters = new Set<{ readonly number: number; readonly resolve: () => void }>();
  let setting: Promise<unknown> = Promise.resolve();

  const hasComeBack = (mark: Mark) => mark.of === of && latest !== undefined && mark.number <= latest.number;

  return {
    set: () => {
      const mark = { of, number: ++lastSet };
      underWay.set(mark.number, performance.now());
      if (underWay.size > MAX_UNDER_WAY) underWay.delete(lastSet - MAX_UNDER_WAY);
      // One after the other, so that the stored mark is always the latest.
      const set = setting
        .then(() => feed.setMark(mark))
        .catch((error: unknown) => {
          underWay.delete(mark.number);
          throw error;
        });
      setting = set.catch(() => {});
      return set.then(() => mark);
    },
    cameBack: (mark) => {
      if (mark.of !== of || hasComeBack(mark)) return;
      latest = mark;
      for (const [number, setAtMs] of underWay) {
        if (number > mark.number) continue;
        underWay.delete(number);
        latestSetAtMs = setAtMs;
      }
      for (const waiter of waiters) if (waiter.number <= mark.number) waiter.resolve();
    },
    awaited: (mark, withinMs, signal) => {
      if (hasComeBack(mark)) return Promise.resolve(true);
      if (signal?.aborted === true) return Promise.resolve(false);
      return new Promise((resolve) => {
        const finish = (cameBack: boolean) => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', giveUp);
          waiters.delete(waiter);
          resolve(cameBack);
        };
        const giveUp = () => finish(false);
        const waiter = { number: mark.number, resolve: () => finish(true) };
        const timer = setTimeout(giveUp, withinMs).unref();
        signal?.addEventListener('abort', giveUp);
        waiters.add(waiter);
      });
    },
    ageMs: () => (latestSetAtMs === undefined ? undefined : performance.now() - latestSetAtMs),
  };
}
