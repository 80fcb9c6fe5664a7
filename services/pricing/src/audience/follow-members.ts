/** Keeps an index current: applies MongoDB's changes one after the other, and continues after outages of any length. */

import { growingPauses } from '@offer-ads/platform/process/growing-pauses';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import {
  type Change,
  type Following,
  HistoryLostError,
  type MembersFeed,
  type Position,
} from './members-feed-store.ts';

export type FollowingEnd = {
  readonly because: 'stopped' | 'history-lost';
  /** All changes up to here were applied. */
  readonly position: Position;
};

export async function followMembers(o: {
  readonly feed: Pick<MembersFeed, 'follow'>;
  readonly from: Position;
  readonly apply: (change: Change) => void;
  /** Called about every half second; no change is applied until it resolves. */
  readonly rest: (position: () => Position) => Promise<void>;
  readonly signal: AbortSignal;
  readonly logger: Logger;
}): Promise<FollowingEnd> {
  const pauses = growingPauses(o.signal);
  let position = o.from;
  while (!o.signal.aborted) {
    const following = o.feed.follow(position);
    // Ends the wait for the next change.
    const close = () => void following.close().catch(() => {});
    o.signal.addEventListener('abort', close);
    try {
      await applyAll(following, { ...o, onProgress: pauses.startAnew });
    } catch (error) {
      if (error instanceof HistoryLostError) {
        o.logger.error({ error }, 'changes of members were lost: the audience index is built anew');
        return { because: 'history-lost', position };
      }
      if (!o.signal.aborted) o.logger.warn({ error }, 'changes of members cannot be followed, trying again');
    } finally {
      position = following.position();
      o.signal.removeEventListener('abort', close);
      close();
    }
    if (!o.signal.aborted) await pauses.wait();
  }
  return { because: 'stopped', position };
}

const REST_EVERY_MS = 500;

async function applyAll(
  following: Following,
  o: Parameters<typeof followMembers>[0] & { readonly onProgress: () => void },
): Promise<void> {
  let restedAt = performance.now();
  while (!o.signal.aborted) {
    const change = await following.next();
    o.onProgress();
    if (change !== null) o.apply(change);
    if (change !== null && performance.now() - restedAt < REST_EVERY_MS) continue;
    await o.rest(following.position);
    restedAt = performance.now();
  }
}
