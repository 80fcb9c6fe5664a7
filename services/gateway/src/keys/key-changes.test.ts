import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ChangesRead } from '@offer-ads/platform/postgres/changes-since';
import { followKeyChanges } from './key-changes.ts';

let nowMs: number;
let cursors: (string | null)[];
let answer: (cursor: string | null) => Promise<ChangesRead>;

beforeEach(() => {
  nowMs = 100;
  cursors = [];
  answer = async () => ({ cursor: String(cursors.length), ids: [] });
});

function follow() {
  const changes = followKeyChanges({
    read: (cursor) => {
      cursors.push(cursor);
      return answer(cursor);
    },
    unconfirmedMs: 1_000,
    elapsedMs: () => nowMs,
  });
  return {
    /** One read that takes a millisecond. */
    readAt: async (ms: number, ids: (number | null)[] = []) => {
      answer = async () => {
        nowMs += 1;
        return { cursor: String(cursors.length), ids };
      };
      nowMs = ms;
      await changes.readOn();
    },
    noneSince: (sinceMs: number, organisationId = 7) => changes.noneSince(sinceMs, organisationId, nowMs),
    readOn: changes.readOn,
    connectionLost: changes.connectionLost,
  };
}

describe('facts that were looked up', () => {
  it('are confirmed only if the first read had ended before their look-up started', async () => {
    const { readAt, noneSince } = follow();
    expect(noneSince(100)).toBe(false);
    await readAt(200);
    expect([noneSince(201), noneSince(202)]).toEqual([false, true]);
  });

  it('are not confirmed when the start of the latest read is a second ago', async () => {
    const { readAt, noneSince } = follow();
    await readAt(200);
    nowMs = 1_199;
    expect(noneSince(300)).toBe(true);
    nowMs = 1_200;
    expect(noneSince(300)).toBe(false);
    await readAt(5_000);
    expect(noneSince(300)).toBe(true);
  });

  it('are not confirmed when their organisation, or all, changed after the look-up started', async () => {
    const { readAt, noneSince } = follow();
    await readAt(200);
    await readAt(500, [7]);
    expect([noneSince(300), noneSince(501), noneSince(502), noneSince(300, 8)]).toEqual([
      false,
      false,
      true,
      true,
    ]);
    await readAt(800, [null]);
    expect([noneSince(502), noneSince(300, 8), noneSince(802)]).toEqual([false, false, true]);
  });

  it('are not confirmed after more changes than are noted one by one', async () => {
    const { readAt, noneSince } = follow();
    await readAt(200);
    await readAt(
      300,
      Array.from({ length: 10_001 }, (_, index) => 1_000 + index),
    );
    await readAt(400);
    expect([noneSince(350), noneSince(402)]).toEqual([false, true]);
  });
});

describe('a read', () => {
  it('goes on where the last one was', async () => {
    const { readAt } = follow();
    for (const ms of [200, 500, 800]) await readAt(ms);
    expect(cursors).toEqual([null, '1', '2']);
  });

  it('that was under way when a connection was lost confirms nothing, and the next one starts anew', async () => {
    const { readAt, readOn, connectionLost, noneSince } = follow();
    await readAt(200);
    const slow = Promise.withResolvers<ChangesRead>();
    answer = () => slow.promise;
    const reading = readOn();
    connectionLost();
    slow.resolve({ cursor: 'of another database', ids: [] });
    await reading;
    expect(noneSince(300)).toBe(false);
    await readAt(600);
    expect([noneSince(300), noneSince(602)]).toEqual([false, true]);
    expect(cursors).toEqual([null, '1', null]);
  });

  it('starts anew after a failed one, and after an hour without one', async () => {
    const { readAt, readOn, noneSince } = follow();
    await readAt(200);
    answer = async () => Promise.reject(new Error('store away'));
    await expect(readOn()).rejects.toThrow('store away');
    expect(noneSince(300)).toBe(false);
    await readAt(600);
    expect([noneSince(300), noneSince(602)]).toEqual([false, true]);
    await readAt(600 + 3_600_000);
    await readAt(600 + 7_200_002);
    expect(cursors).toEqual([null, '1', null, '3', null]);
  });
});
