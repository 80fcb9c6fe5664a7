/** Builds the index by reading every member who counts from MongoDB. */
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import {
  AudienceFullError,
  type IndexedMember,
  startAudienceBuild,
} from '../audience-index/audience-index.ts';
import { type CompleteIndex, completeIndex, MAX_SURPLUS } from './complete-index.ts';
import type { Mark, MembersFeed, Position } from './members-feed-store.ts';
import type { ReplicaMarks } from './replica-marks.ts';

/** Where to start following the changes that are not in the index. */
export type Origin = { readonly identity: string; readonly position: Position; readonly mark: Mark };

export type BuildProgress = { readonly members: number; readonly expected: number };

const TELL_EVERY_MS = 5_000;

export async function buildIndex(o: {
  readonly feed: MembersFeed;
  readonly marks: Pick<ReplicaMarks, 'set'>;
  readonly onProgress: (progress: BuildProgress) => void;
  /** Called for a member who cannot be counted, because its facts are impossible; the other members are added. */
  readonly onLeftOut: (error: unknown) => void;
  readonly signal: AbortSignal;
  readonly logger: Logger;
}): Promise<{ readonly index: CompleteIndex; readonly origin: Origin }> {
  const { feed, logger } = o;
  const startedAt = performance.now();
  // In this order: changes made while members are read appear in the stream afterwards.
  const mark = await o.marks.set();
  const origin = { identity: await feed.identity(), position: await feed.position(), mark };
  const expected = await feed.expected();
  const build = startAudienceBuild(expected);
  const refused: IndexedMember[] = [];
  let members = 0;
  let toldAt = startedAt;
  for await (const batch of feed.everybody()) {
    o.signal.throwIfAborted();
    for (const member of batch) {
      try {
        build.add(member);
        members += 1;
      } catch (error) {
        if (!(error instanceof AudienceFullError)) o.onLeftOut(error);
        else if (refused.length <= MAX_SURPLUS) refused.push(member);
      }
    }
    o.onProgress({ members, expected });
    if (performance.now() - toldAt < TELL_EVERY_MS) continue;
    toldAt = performance.now();
    logger.info({ members, expected }, 'building the audience index from MongoDB');
  }
  const index = completeIndex(await build.finish(), refused);
  logger.info(
    { members, surplus: index.surplus(), seconds: secondsSince(startedAt) },
    'audience index built from MongoDB',
  );
  return { index, origin };
}

export function secondsSince(startedAt: number): number {
  return Math.round((performance.now() - startedAt) / 100) / 10;
}
