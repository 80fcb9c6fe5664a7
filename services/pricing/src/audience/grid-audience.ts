/**
 * The audience counted in memory. A thread reads all members from MongoDB into a grid; then all changes there are followed, whoever made them.
 * When there are many, or old ones, a thread builds the next grid. Once current, it keeps counting, also while MongoDB is away.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { MembersCheck } from '@offer-ads/contracts/admin/pricing-api';
import type { Target } from '@offer-ads/contracts/audience/target';
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import { keepTrying } from '@offer-ads/platform/process/growing-pauses';
import { startLoop } from '@offer-ads/platform/process/loops';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import type { CountedMember } from '../members/member-document.ts';
import type { Audience } from './audience.ts';
import { audienceMetrics } from './audience-metrics.ts';
import type { BuildProgress } from './build-in-thread.ts';
import { compareCounts, randomTargets } from './compare-counts.ts';
import { followMembers } from './follow-members.ts';
import type { Grid } from './grid.ts';
import { type LiveGrid, openLiveGrid } from './live-grid.ts';
import type { Change, MembersFeed } from './members-feed-store.ts';
import { type ReplicaMarks, replicaMarks } from './replica-marks.ts';

/** Builds a grid from MongoDB, or from an older one and members who changed. */
export type BuildGrid = (
  from: 'mongo' | { readonly older: Grid; readonly changed: Iterable<CountedMember> },
  o: { readonly signal: AbortSignal } & BuildProgress,
) => Promise<Grid>;

export type GridAudienceOptions = {
  readonly feed: MembersFeed;
  readonly build: BuildGrid;
  readonly nextGrid?: Partial<typeof nextGridAfter>;
  readonly logger: Logger;
  readonly metrics: Metrics;
};

/** How old the audience seems while all is well. Each mark is one small write. */
const SET_MARK_EVERY_MS = 10_000;
/** An import waits at most this long until its members count. */
const INCLUDED_WITHIN_MS = 60_000;

/** They take some milliseconds. */
const CHECKED_TARGETS = 100;

const nextGridAfter = {
  /** So many take some microseconds of a count in a large city. */
  changes: 20_000,
  /** So that the ordinal of somebody who left is gone after this time: decision 208, erasure of a member. */
  ageMs: 5 * 60_000,
  lookEveryMs: 1_000,
  /** Where no grid can be built, changes wait in MongoDB, and the alert about the age of the audience follows. */
  mostChanges: 500_000,
};

const TOO_LITTLE_MEMORY = 'too little memory for a grid of all of them';

/** Of an array, or of the heap of the thread. */
function isOutOfMemory(error: unknown): boolean {
  return error instanceof RangeError || (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY';
}

/** Returns at once; `waitsFor` shows when it can count. */
export function startGridAudience(o: GridAudienceOptions): Audience {
  const { feed, logger } = o;
  const limits = { ...nextGridAfter, ...o.nextGrid };
  const stopping = new AbortController();
  const { signal } = stopping;
  const marks = replicaMarks(feed);
  /** Undefined until all members were read and are current. */
  let counting: LiveGrid | undefined;
  /** Follows changes; it becomes `counting` when it is current. */
  let following: LiveGrid | undefined;
  let waitsFor: string | undefined = 'the members: to be read';
  const metrics = audienceMetrics(o.metrics, { ageMs: marks.ageMs, counting: () => counting });

  const untilItWorks = <T>(what: string, work: () => Promise<T>) =>
    keepTrying(work, {
      signal,
      onFailure: (error) => logger.warn({ error }, `${what} failed and will be tried again`),
    });

  async function build(
    from: Parameters<BuildGrid>[0],
    onRead: BuildProgress['onRead'] = () => {},
  ): Promise<Grid> {
    const startedAt = performance.now();
    try {
      const grid = await o.build(from, { signal, onRead, onUnreadable: metrics.unreadable });
      const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
      logger.info({ members: grid.size, seconds }, 'a grid of members was built');
      return grid;
    } catch (error) {
      if (!signal.aborted) metrics.buildFailed();
      if (!isOutOfMemory(error)) throw error;
      if (counting === undefined) waitsFor = `the members: ${TOO_LITTLE_MEMORY}`;
      throw new Error(TOO_LITTLE_MEMORY, { cause: error });
    }
  }

  async function live(): Promise<void> {
    await untilItWorks('the start of the audience', feed.prepare);
    for (;;) {
      const { position, grid } = await untilItWorks('reading the members', readEverybody);
      const read = openLiveGrid(grid);
      following = read;
      /** Of this reading alone: while it catches up, the members before it still count. */
      const itsMarks = replicaMarks(feed);
      void countOnceCurrent(read, itsMarks).catch(() => {});
      const room = () => roomForChanges(read);
      const apply = (change: Change) => {
        if ('mark' in change) {
          itsMarks.cameBack(change.mark);
          if (counting === read) marks.cameBack(change.mark);
        } else {
          read.set(change.memberId, change.member);
          metrics.applied();
        }
      };
      const end = await followMembers({ feed, from: position, apply, room, signal, logger });
      if (end === 'stopped') return;
    }
  }

  /** In this order: what changes while members are read is followed afterwards. */
  async function readEverybody() {
    const position = await feed.position();
    const grid = await oneAtATime(() =>
      build('mongo', (read, expected) => {
        if (counting === undefined) waitsFor = `the members: ${read} of about ${expected} are read`;
      }),
    );
    return { position, grid };
  }

  async function countOnceCurrent(grid: LiveGrid, itsMarks: ReplicaMarks): Promise<void> {
    if (counting === undefined) waitsFor = 'the members: to catch up with the latest changes';
    await untilItWorks('catching up', async () => {
      const mark = await itsMarks.set();
      while (!(await itsMarks.awaited(mark, INCLUDED_WITHIN_MS, signal))) signal.throwIfAborted();
    });
    if (following !== grid) return;
    counting = grid;
    waitsFor = undefined;
    logger.info({ members: grid.members() }, 'the audience is current');
    await marks.set();
  }

  async function roomForChanges(grid: LiveGrid): Promise<void> {
    while (grid.changes() >= limits.mostChanges && !signal.aborted)
      await pause(limits.lookEveryMs, undefined, { signal }).catch(() => {});
  }

  /** Reading all members, the next grid, a check: each takes the memory of a grid. */
  let building: Promise<unknown> = Promise.resolve();
  function oneAtATime<T>(work: () => Promise<T>): Promise<T> {
    const done = building.then(work);
    building = done.catch(() => {});
    return done;
  }

  const buildNext = startLoop({
    name: 'audience-grid',
    everyMs: limits.lookEveryMs,
    work: async () => {
      const grid = following;
      if (grid === undefined || grid.changes() === 0) return;
      if (grid.changes() < limits.changes && grid.changesAgeMs() < limits.ageMs) return;
      await keepTrying(() => oneAtATime(() => grid.replace((older, changed) => build({ older, changed }))), {
        signal,
        // All members are being read again.
        isPassing: () => grid === following,
        onFailure: (error) => logger.warn({ error }, 'the next grid could not be built, trying again'),
      }).catch((error: unknown) => {
        if (!signal.aborted && grid === following) throw error;
      });
    },
    logger,
    metrics: o.metrics,
  });
  const setMarks = startLoop({
    name: 'audience-marks',
    everyMs: SET_MARK_EVERY_MS,
    // While MongoDB is unavailable, the code that follows it logs that.
    work: async () => void (await marks.set().catch(() => {})),
    logger,
    metrics: o.metrics,
  });
  const life = live().catch((error: unknown) => {
    if (signal.aborted) return;
    logger.fatal({ error }, 'the audience has ended');
    // It no longer follows changes.
    counting = undefined;
    waitsFor = 'the members: following them has ended, see the log';
  });
  const includesWritten = async () => marks.awaited(await marks.set(), INCLUDED_WITHIN_MS, signal);

  return {
    count: async (target) => {
      if (counting === undefined) throw serviceUnavailable('the members are not read yet');
      return counting.count(target);
    },
    waitsFor: async () => (waitsFor === undefined ? [] : [waitsFor]),
    includesWritten,
    check: async ({ repair }) => {
      const grid = counting;
      if (grid === undefined || grid !== following)
        throw serviceUnavailable('the members are being read anyway');
      let targets: readonly Target[] = [];
      let found: Omit<MembersCheck, 'repaired'> | undefined;
      const compare = () =>
        grid.replace(
          async () => {
            const fresh = await build('mongo');
            targets = randomTargets(fresh, CHECKED_TARGETS);
            if (await includesWritten()) return fresh;
            throw serviceUnavailable('the audience does not catch up with MongoDB');
          },
          (fresh) => {
            found = compareCounts({ fresh, counting: grid, targets });
            return repair && !found.ok;
          },
        );
      await oneAtATime(compare);
      if (found === undefined) throw new Error('nothing was compared');
      const repaired = repair && !found.ok;
      return { ...found, ok: found.ok || repaired, repaired };
    },
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      await buildNext[Symbol.asyncDispose]();
      await setMarks[Symbol.asyncDispose]();
      await life;
      await building;
    },
  };
}
