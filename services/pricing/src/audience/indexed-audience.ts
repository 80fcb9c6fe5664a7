/**
 * The audience counted in memory. The index is loaded from a snapshot or built from MongoDB, and then follows all changes there, by this
 * replica or another. After its first count, it keeps counting even if MongoDB is unavailable.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import { keepTrying } from '@offer-ads/platform/process/growing-pauses';
import { startLoop } from '@offer-ads/platform/process/loops';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import { AudienceFullError } from '../audience-index/audience-index.ts';
import type { Audience } from './audience-engine.ts';
import { buildIndex, type Origin } from './build-index.ts';
import { checkIndex } from './check-index.ts';
import { type CompleteIndex, MAX_SURPLUS } from './complete-index.ts';
import { followMembers } from './follow-members.ts';
import { indexMetrics } from './index-metrics.ts';
import { keepSnapshots } from './keep-snapshots.ts';
import type { Change, MembersFeed, Position } from './members-feed-store.ts';
import { replicaMarks } from './replica-marks.ts';

/** The largest apparent age of the index in normal operation. Each mark is one small write. */
const SET_MARK_EVERY_MS = 10_000;
/** An import waits at most this long for the index to include it. */
const INCLUDED_WITHIN_MS = 60_000;

/** Members are read by one replica at a time, when several must build their index anew. */
const ASK_FOR_TURN_EVERY_MS = 5_000;

const OVERFULL = `the audience index: it is full, and more than ${MAX_SURPLUS} members do not fit; set AUDIENCE_ENGINE=mongo`;
const TELL_LEFT_OUT_EVERY_MS = 10_000;

export type IndexedAudienceOptions = {
  readonly feed: MembersFeed;
  /** Undefined: no snapshots, so every start reads all members from MongoDB. */
  readonly snapshotFolder: string | undefined;
  readonly snapshotEveryMs?: number;
  readonly afterRemovalMs?: number;
  readonly askForTurnEveryMs?: number;
  /** The number of decimals to which `feed` rounds positions. */
  readonly positionDecimals: number;
  /** Runs whenever an index is complete, before it counts. */
  readonly onComplete?: (() => void) | undefined;
  readonly logger: Logger;
  readonly metrics: Metrics;
};

/** Returns at once; `waitsFor` shows when the index can count. */
export function startIndexedAudience(o: IndexedAudienceOptions): Audience {
  const { feed, logger } = o;
  const stopping = new AbortController();
  const { signal } = stopping;
  const marks = replicaMarks(feed);
  const metrics = indexMetrics(o.metrics, marks, () => counting);
  const snapshots = keepSnapshots(o);
  const replica = randomUUID();

  /** Undefined until the index has caught up for the first time. */
  let counting: CompleteIndex | undefined;
  /** The index that follows changes; it becomes `counting` when it has caught up. */
  let following: CompleteIndex | undefined;
  /**
   * A snapshot is written piece by piece, and changes in between would damage it. Followed changes wait for it, and repairs take turns with
   * it.
   */
  const changeOrSave = oneAtATime();
  let leftOutToldAt = Number.NEGATIVE_INFINITY;
  /** To build the index anew. */
  let hasTurn = false;
  let waitsFor: string | undefined = 'the audience index: to begin';

  const untilItWorks = <T>(what: string, work: () => Promise<T>) =>
    keepTrying(work, {
      signal,
      // Reading all members again would not help.
      isPassing: (error) => !(error instanceof AudienceFullError),
      onFailure: (error) => logger.warn({ error }, `${what} failed and will be tried again`),
    });

  async function start(): Promise<{ readonly index: CompleteIndex; readonly origin: Origin }> {
    waitsFor = 'the audience index: its snapshot to be read';
    await feed.prepare();
    const snapshot = await snapshots.read(feed);
    return snapshot ?? build();
  }

  function build() {
    const onProgress = ({ members, expected }: { members: number; expected: number }) => {
      waitsFor = `the audience index: built from ${members} of about ${expected} members`;
    };
    onProgress({ members: 0, expected: 0 });
    return buildIndex({ feed, marks, onProgress, onLeftOut: leaveOut, signal, logger });
  }

  async function live(): Promise<void> {
    let { index, origin } = await untilItWorks('the start of the audience index', start);
    for (;;) {
      const end = await follow(index, origin);
      if (end.because === 'stopped') return;
      ({ index, origin } = await rebuild());
      // Nobody knows who was removed meanwhile.
      snapshots.changed({ byRemoval: true });
    }
  }

  /** The old index counts on, and the replica stays ready until it is its turn: so most replicas are ready although all have to build. */
  async function rebuild() {
    if (counting === undefined) return untilItWorks('building the audience index', build);
    await untilItWorks('waiting for a turn to build the audience index', async () => {
      while (!(await feed.takeTurn(replica)))
        await pause(o.askForTurnEveryMs ?? ASK_FOR_TURN_EVERY_MS, undefined, { signal });
    });
    hasTurn = true;
    return untilItWorks('building the audience index', build);
  }

  async function endTurn(): Promise<void> {
    if (!hasTurn) return;
    hasTurn = false;
    // Otherwise it ends by itself.
    await feed
      .giveTurnBack(replica)
      .catch((error: unknown) => logger.warn({ error }, 'a turn was not given back'));
  }

  async function follow(index: CompleteIndex, origin: Origin) {
    following = index;
    waitsFor = 'the audience index: to catch up with the latest changes';
    void countOnceCurrent(index).catch(() => {});
    const facts = (position: Position) => ({ ...origin, position, mark: marks.latest() ?? origin.mark });
    const end = await followMembers({
      feed,
      from: origin.position,
      apply: (change) => apply(index, change),
      rest: (position) => changeOrSave(() => snapshots.writeIfDue(index, () => facts(position()))),
      signal,
      logger,
    });
    if (end.because === 'stopped') await changeOrSave(() => snapshots.writeLast(index, facts(end.position)));
    return end;
  }

  function apply(index: CompleteIndex, change: Change): void {
    if ('mark' in change) return marks.cameBack(change.mark);
    snapshots.changed({ byRemoval: change.member === null });
    try {
      if (change.member === null) index.remove(change.memberId);
      else index.put(change.member);
      metrics.applied();
    } catch (error) {
      index.remove(change.memberId);
      leaveOut(error);
    }
  }

  /** A member with impossible facts must not prevent counting the others. */
  function leaveOut(error: unknown): void {
    metrics.leftOut();
    // A faulty feed can cause this for millions of members, so it is not logged each time.
    if (performance.now() - leftOutToldAt < TELL_LEFT_OUT_EVERY_MS) return;
    leftOutToldAt = performance.now();
    logger.error({ error }, 'a member cannot be counted');
  }

  async function countOnceCurrent(index: CompleteIndex): Promise<void> {
    await untilItWorks('catching up', async () => {
      const mark = await marks.set();
      while (!(await marks.awaited(mark, INCLUDED_WITHIN_MS))) signal.throwIfAborted();
    });
    if (following !== index) return;
    o.onComplete?.();
    counting = index;
    waitsFor = undefined;
    logger.info(index.size(), 'the audience index is current');
    await endTurn();
  }

  const setMarks = startLoop({
    name: 'audience-marks',
    everyMs: SET_MARK_EVERY_MS,
    // While MongoDB is unavailable, the code that follows it logs that.
    work: async () => {
      await marks.set().catch(() => {});
      if (hasTurn) await feed.takeTurn(replica).catch(() => {});
    },
    logger,
    metrics: o.metrics,
  });
  const life = live().catch((error: unknown) => {
    if (signal.aborted) return;
    logger.fatal({ error }, 'the audience index has ended');
    // It no longer follows changes.
    counting = undefined;
    waitsFor =
      error instanceof AudienceFullError ? OVERFULL : 'the audience index: it has ended, see the log';
  });

  return {
    count: async (target) => {
      if (counting === undefined) throw serviceUnavailable('the audience index is not built yet');
      return counting.count(target);
    },
    waitsFor: async () => {
      const missing = waitsFor ?? (counting?.isOverfull() === true ? OVERFULL : undefined);
      return missing === undefined ? [] : [missing];
    },
    includesWritten: async () => marks.awaited(await marks.set(), INCLUDED_WITHIN_MS),
    check: async ({ repair }) => {
      if (counting === undefined) throw serviceUnavailable('the audience index is not built yet');
      return checkIndex({ index: counting, feed, marks, repair, change: changeOrSave });
    },
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      await setMarks[Symbol.asyncDispose]();
      await life;
      await endTurn();
    },
  };
}

type OneAtATime = <T>(work: () => Promise<T>) => Promise<T>;

function oneAtATime(): OneAtATime {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => {});
    return mine;
  };
}
