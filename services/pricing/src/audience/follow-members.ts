/** Keeps an audience current: applies MongoDB's changes one after the other, and continues after outages of any length. */
import { setImmediate as afterOtherWork } from 'node:timers/promises';
import { growingPauses } from '@offer-ads/platform/process/growing-pauses';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import {
  type Change,
  type Following,
  HistoryLostError,
  type MembersFeed,
  type Position,
} from './members-feed-store.ts';

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
    const following = o.feed.follow(position);
    // Ends the wait for the next change.
    const close = () => void following.close().catch(() => {});
    o.signal.addEventListener('abort', close);
    try {
      await applyAll(following, o, pauses.startAnew);
    } catch (error) {
      if (error instanceof HistoryLostError) {
        o.logger.error({ error }, 'changes of members were lost: the audience is read anew');
        return 'history-lost';
      }
      if (!o.signal.aborted) o.logger.warn({ error }, 'changes of members cannot be followed, trying again');
    } finally {
      position = following.position();
      o.signal.removeEventListener('abort', close);
      close();
    }
    if (!o.signal.aborted) await pauses.wait();
  }
  return 'stopped';
}

async function applyAll(following: Following, o: Follow, onProgress: () => void): Promise<void> {
  for (let applied = 1; !o.signal.aborted; applied += 1) {
    const change = await following.next();
    onProgress();
    if (change !== null) o.apply(change);
    if (applied % CHANGES_AT_ONCE === 0) await afterOtherWork();
    await o.room();
  }
}
