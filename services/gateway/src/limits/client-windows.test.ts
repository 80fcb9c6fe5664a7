import { describe, expect, it } from '@jest/globals';
import { rememberWindows } from './client-windows.ts';

const window = (endsAtMs: number) => ({ count: 1, endsAtMs });

describe('the windows of clients', () => {
  it('are kept until they end, whenever others begin', () => {
    const windows = rememberWindows({ windowMs: 1_000 });
    const missing: string[] = [];
    for (let atMs = 0; atMs < 5_000; atMs += 100) {
      windows.set(`client-${atMs}`, window(atMs + 1_000), atMs);
      for (let earlierMs = Math.max(0, atMs - 900); earlierMs <= atMs; earlierMs += 100) {
        if (windows.get(`client-${earlierMs}`) === undefined) missing.push(`${earlierMs} at ${atMs}`);
      }
    }
    expect(missing).toEqual([]);
  });

  it('are dropped after their end, so that memory holds the clients of two windows at most', () => {
    const windows = rememberWindows({ windowMs: 1_000 });
    windows.set('gone', window(1_000), 0);
    windows.set('next', window(2_000), 1_000);
    windows.set('last', window(3_000), 2_000);
    expect(windows.get('gone')).toBeUndefined();
    expect(windows.get('next')).toBeDefined();
  });

  it('are dropped above the limit, the older half first', () => {
    const windows = rememberWindows({ windowMs: 1_000, maxClients: 4 });
    for (const client of ['a', 'b', 'c', 'd', 'a', 'e']) windows.set(client, window(1_000), 0);
    const kept = ['a', 'b', 'c', 'd', 'e'].filter((client) => windows.get(client) !== undefined);
    expect(kept).toEqual(['a', 'c', 'd', 'e']);
  });
});
