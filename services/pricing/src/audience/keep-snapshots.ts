/** When snapshots of the index are read and written. Errors with snapshots are logged and never stop the index. */
import { Fault } from '@offer-ads/platform/process/faults';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import { type Origin, secondsSince } from './build-index.ts';
import { type CompleteIndex, completeIndex } from './complete-index.ts';
import type { MembersFeed } from './members-feed-store.ts';
import { readSnapshot, type SnapshotHeader, writeSnapshot } from './snapshot-file.ts';

/**
 * Also if nothing changed, because MongoDB's oplog keeps changes only for some time. After a restart, a quarter of an hour of changes is
 * applied within seconds.
 */
const EVERY_MS = 15 * 60_000;
/** The last one still has a member who was removed since; nothing may be left of the member after a minute (decision 208, erasure of a member). */
const AFTER_REMOVAL_MS = 45_000;
/** Part of the thirty seconds that a service has to stop. */
const LAST_WITHIN_MS = 15_000;
/** A slower disk would delay changes too long; a file has some hundred megabytes. */
const WITHIN_MS = 120_000;

export type SnapshotKeeper = {
  /** Null if there is no usable snapshot. */
  readonly read: (
    feed: Pick<MembersFeed, 'identity' | 'knowsMark'>,
  ) => Promise<{ readonly index: CompleteIndex; readonly origin: Origin } | null>;
  /** Reports that the index has changed since the last read or write, perhaps by a removal. */
  readonly changed: (o: { readonly byRemoval: boolean }) => void;
  /** Does nothing while members are beside the index, because they would be missing: an older snapshot stays, and its changes are followed. */
  readonly writeIfDue: (index: CompleteIndex, origin: () => Origin) => Promise<void>;
  readonly writeLast: (index: CompleteIndex, origin: Origin) => Promise<void>;
};

export function keepSnapshots(o: {
  readonly snapshotFolder: string | undefined;
  readonly snapshotEveryMs?: number;
  readonly afterRemovalMs?: number;
  readonly positionDecimals: number;
  readonly logger: Logger;
}): SnapshotKeeper {
  const { snapshotFolder: folder, snapshotEveryMs: everyMs = EVERY_MS, positionDecimals, logger } = o;
  const { afterRemovalMs = AFTER_REMOVAL_MS } = o;
  let isStale = true;
  /** Whether the last snapshot has members who were removed since. */
  let hasRemoved = false;
  let lastAt = performance.now();

  async function write(index: CompleteIndex, origin: Origin, withinMs: number): Promise<void> {
    if (folder === undefined || index.surplus() > 0) return;
    const startedAt = performance.now();
    const { members } = index.size();
    const facts = { ...origin, positionDecimals, members, writtenAt: new Date().toISOString() };
    try {
      const { bytes } = await writeSnapshot(folder, facts, index, AbortSignal.timeout(withinMs));
      isStale = false;
      hasRemoved = false;
      logger.info(
        { members, bytes, seconds: secondsSince(startedAt) },
        'snapshot of the audience index written',
      );
    } catch (error) {
      logger.error({ error }, 'snapshot of the audience index not written');
    }
    lastAt = performance.now();
  }

  return {
    read: async (feed) => {
      if (folder === undefined) return null;
      const startedAt = performance.now();
      const snapshot = await readSnapshot(folder, (facts) =>
        objectionTo(facts, feed, positionDecimals),
      ).catch(unreadable);
      if ('problem' in snapshot) {
        logger.info(snapshot, 'no snapshot of the audience index to start from');
        // The next snapshot is written as soon as there is an index: an old file may contain positions with more decimals than now allowed.
        lastAt = Number.NEGATIVE_INFINITY;
        return null;
      }
      const { members, writtenAt, positionDecimals: _, ...origin } = snapshot.header;
      logger.info(
        { members, writtenAt, seconds: secondsSince(startedAt) },
        'audience index read from its snapshot',
      );
      isStale = false;
      return { index: completeIndex(snapshot.index), origin };
    },
    changed: ({ byRemoval }) => {
      isStale = true;
      hasRemoved ||= byRemoval;
    },
    writeIfDue: async (index, origin) => {
      const dueMs = hasRemoved ? Math.min(afterRemovalMs, everyMs) : everyMs;
      if (performance.now() - lastAt >= dueMs) await write(index, origin(), WITHIN_MS);
    },
    writeLast: async (index, origin) => {
      if (isStale) await write(index, origin, LAST_WITHIN_MS);
    },
  };
}

async function objectionTo(
  { identity, mark, positionDecimals }: SnapshotHeader,
  feed: Pick<MembersFeed, 'identity' | 'knowsMark'>,
  decimals: number,
): Promise<string | undefined> {
  if (positionDecimals !== decimals) return 'its positions are rounded otherwise';
  if (identity !== (await feed.identity())) return 'it is of another collection';
  if (!(await feed.knowsMark(mark))) return 'the database is older than it';
  return undefined;
}

/** An unreadable file is ignored; if MongoDB does not answer, the question is repeated. */
function unreadable(error: unknown): { readonly problem: string; readonly error: unknown } {
  if (error instanceof Fault) throw error;
  return { problem: 'it cannot be read', error };
}
