/** Keeps an audience current: applies MongoDB's changes one after the other, and continues after outages of any length. */
import { setImmediate as afterOtherWork } from 'node:timers/promises';
import { growingPauses } from '@offer-ads/platform/process/growing-pauses';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import { type Change, HistoryLostError, type MembersFeed, type Position } from './members-feed-store.ts';

type Follow = {
  readonly feed: Pick<MembersFeed, 'follow'>;
  readonly from: Position;
  readonly apply: (change: Change) => void;
  /** Resolves when more changes may be applied. */
  readonly room: () => Promise<void>;
  readonly signal: AbortSignal;
  readonly logger: Logger;
};

/** Applying these takes about a millisecond; then requests have their turn. */
const CHANGES_AT_ONCE = 100;

/** @returns why it ended */
export async function followMembers(o: Follow): Promise<'stopped' | 'history-lost'> {
  const pauses = growingPauses(o.signal);
  let position = o.from;
  while (!o.signal.aborted) {
    try {
      await applyFrom(position, o, (applied) => {
        position = applied;
        pauses.startAnew();
      });
    } catch (error) {
      if (error instanceof HistoryLostError) {
        o.logger.error({ error }, 'changes of members were lost: the audience is read anew');
        return 'history-lost';
      }
      if (!o.signal.aborted) o.logger.warn({ error }, 'changes of members cannot be followed, trying again');
    }
    if (!o.signal.aborted) await pauses.wait();
  }
  return 'stopped';
}

/** @param onApplied gets the position after each change that was applied, so that the next attempt misses none */
async function applyFrom(
  position: Position,
  o: Follow,
  onApplied: (position: Position) => void,
): Promise<void> {
  const following = o.feed.follow(position);
  // Ends the wait for the next change.
  const close = () => void following.close().catch(() => {});
  o.signal.addEventListener('abort', close);
  try {
    for (let applied = 1; !o.signal.aborted; applied += 1) {
      const change = await following.next();
      if (change !== null) o.apply(change);
      onApplied(following.position());
      if (applied % CHANGES_AT_ONCE === 0) await afterOtherWork();
      await o.room();
    }
  } finally {
    o.signal.removeEventListener('abort', close);
    close();
  }
}
