import { expect, it } from '@jest/globals';
import { silentLogger } from '@offer-ads/testing/logger';
import { followMembers } from './follow-members.ts';
import type { Change } from './members-feed-store.ts';

const change = (memberId: number): Change => ({ memberId, member: null });

it('changes of members are applied again from the one that failed, and when the feed cannot be opened at once', async () => {
  const stopping = new AbortController();
  const changes = [change(1), change(2), change(3)];
  const applied: Change[] = [];
  const failOnce = new Set(['the client is closed', 'cannot be applied']);
  const fail = (reason: string) => {
    if (failOnce.delete(reason)) throw new Error(reason);
  };
  const end = await followMembers({
    feed: {
      follow: (position) => {
        fail('the client is closed');
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
      if (each === changes[1]) fail('cannot be applied');
      applied.push(each);
      if (each === changes[2]) stopping.abort();
    },
    room: async () => {},
    signal: stopping.signal,
    logger: silentLogger,
  });
  expect([end, applied]).toEqual(['stopped', changes]);
});
