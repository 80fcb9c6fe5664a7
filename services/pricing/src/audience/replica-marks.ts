/**
 * How a replica learns that its index knows what was written: it sets a mark in MongoDB, and everything that was written
 * before is in the index once the mark comes back in the stream of changes.
 */
import { randomUUID } from 'node:crypto';
import type { Mark, MembersFeed } from './members-feed-store.ts';

/** Hours of them; older ones tell no age any more. */
const MOST_UNDER_WAY = 1_000;

export type ReplicaMarks = {
  /** Resolves once the mark is set. */
  readonly set: () => Promise<Mark>;
  /** A mark has come back, of whichever replica. */
  readonly cameBack: (mark: Mark) => void;
  /** True once the mark has come back; false when it has not in time. */
  readonly awaited: (mark: Mark, withinMs: number) => Promise<boolean>;
  readonly hasComeBack: (mark: Mark) => boolean;
  /** The latest one that came back. */
  readonly latest: () => Mark | undefined;
  /** How long ago the latest one was set: the index knows everything that was written before. */
  readonly ageMs: () => number | undefined;
};

export function replicaMarks(feed: Pick<MembersFeed, 'setMark'>): ReplicaMarks {
  const of = randomUUID();
  let lastSet = 0;
  let latest: Mark | undefined;
  let latestSetAtMs: number | undefined;
  /** Set and not back yet, with when that was. */
  const underWay = new Map<number, number>();
  const waiters = new Set<{ readonly number: number; readonly tell: () => void }>();
  let setting: Promise<unknown> = Promise.resolve();

  const hasComeBack = (mark: Mark) => mark.of === of && latest !== undefined && mark.number <= latest.number;

  return {
    set: () => {
      const mark = { of, number: ++lastSet };
      underWay.set(mark.number, performance.now());
      if (underWay.size > MOST_UNDER_WAY) underWay.delete(lastSet - MOST_UNDER_WAY);
      // One after the other, so that the stored one is always the last.
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
      for (const waiter of waiters) if (waiter.number <= mark.number) waiter.tell();
    },
    awaited: (mark, withinMs) => {
      if (hasComeBack(mark)) return Promise.resolve(true);
      return new Promise((resolve) => {
        const settle = (cameBack: boolean) => {
          clearTimeout(timer);
          waiters.delete(waiter);
          resolve(cameBack);
        };
        const waiter = { number: mark.number, tell: () => settle(true) };
        const timer = setTimeout(() => settle(false), withinMs).unref();
        waiters.add(waiter);
      });
    },
    hasComeBack,
    latest: () => latest,
    ageMs: () => (latestSetAtMs === undefined ? undefined : performance.now() - latestSetAtMs),
  };
}
