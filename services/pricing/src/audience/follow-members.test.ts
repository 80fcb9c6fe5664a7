import { describe, expect, it } from '@jest/globals';
import { silentLogger } from '@offer-ads/testing/logger';
import { followMembers } from './follow-members.ts';
import type { Change } from './members-feed-store.ts';

const change = (memberId: number): Change => ({ memberId, member: null });
describe('changes of members', () => {
  it('are applied again from the one that failed, and when the feed cannot be opened at once', async () => {
    const stopping = new AbortController();
    const changes = [change(1), change(2), change(3)];
    const applied: Change[] = [];
    const failures = ['cannot be applied'];
    const refusals = ['the client is closed'];
    const end = await followMembers({
      feed: {
        follow: (position) => {
          const refusal = refusals.pop();
          if (refusal !== undefined) throw new Error(refusal);
          let next = Number(position);
          return {
            next: async () => changes[next++] ?? null,
            position: () => String(next),
            close: async () => {},
          };
        },
      },
      from: '0',
      apply: (each) => {
        if (each === changes[1] && failures.pop() !== undefined) throw new Error('cannot be applied');
        applied.push(each);
        if (each === changes[2]) stopping.abort();
      },
      room: async () => {},
      signal: stopping.signal,
      logger: silentLogger,
    });
    expect(end).toBe('stopped');
    expect(applied).toEqual(changes);
  });
});
