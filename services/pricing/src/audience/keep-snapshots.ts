/** When snapshots of the index are read and written, and what is made of their troubles: none ever keeps it from counting. */
import { Fault } from '@offer-ads/platform/process/faults';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { AudienceIndex } from '../audience-index/audience-index.ts';
import { type Origin, secondsSince } from './build-index.ts';
import type { MembersFeed } from './members-feed-store.ts';
import { readSnapshot, type SnapshotHeader, writeSnapshot } from './snapshot-file.ts';

/** Also when nothing changed, because MongoDB tells changes only as far back as its oplog reaches. A restart catches up with a quarter of an hour of changes within seconds. */
const EVERY_MS = 15 * 60_000;
/** Of the thirty seconds that a service has to stop. */
const LAST_WITHIN_MS = 15_000;
/** A disk that takes longer than this for a file of some hundred megabytes keeps changes waiting too long. */
const WITHIN_MS = 120_000;

export type SnapshotKeeper = {
  /** Null when there is none to start from. */
  readonly read: (
    feed: Pick<MembersFeed, 'identity' | 'knowsMark'>,
  ) => Promise<{ readonly index: AudienceIndex; readonly origin: Origin } | null>;
  /** The index has changed since it was read or written. */
  readonly changed: () => void;
  readonly writeIfDue: (index: AudienceIndex, origin: () => Origin) => Promise<void>;
  readonly writeLast: (index: AudienceIndex, origin: Origin) => Promise<void>;
};

export function keepSnapshots(o: {
  readonly snapshotFolder: string | undefined;
  readonly snapshotEveryMs?: number;
  readonly positionDecimals: number;
  readonly logger: Logger;
}): SnapshotKeeper {
  const { snapshotFolder: folder, snapshotEveryMs: everyMs = EVERY_MS, positionDecimals, logger } = o;
  let isStale = true;
  let lastAt = performance.now();

  async function write(index: AudienceIndex, origin: Origin, withinMs: number): Promise<void> {
    if (folder === undefined) return;
    const startedAt = performance.now();
    const { members } = index.size();
    const facts = { ...origin, positionDecimals, members, writtenAt: new Date().toISOString() };
    try {
      const { bytes } = await writeSnapshot(folder, facts, index, AbortSignal.timeout(withinMs));
      isStale = false;
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
        // The next one is written as soon as there is an index: an old file may hold finer positions than are wanted.
        lastAt = Number.NEGATIVE_INFINITY;
        return null;
      }
      const { members, writtenAt, positionDecimals: _, ...origin } = snapshot.header;
      logger.info(
        { members, writtenAt, seconds: secondsSince(startedAt) },
        'audience index read from its snapshot',
      );
      isStale = false;
      return { index: snapshot.index, origin };
    },
    changed: () => {
      isStale = true;
    },
    writeIfDue: async (index, origin) => {
      if (performance.now() - lastAt >= everyMs) await write(index, origin(), WITHIN_MS);
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

/** A file that cannot be read does no harm; a MongoDB that does not answer is asked again. */
function unreadable(error: unknown): { readonly problem: string; readonly error: unknown } {
  if (error instanceof Fault) throw error;
  return { problem: 'it cannot be read', error };
}
