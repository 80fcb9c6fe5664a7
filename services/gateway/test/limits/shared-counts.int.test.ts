import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { testValkey } from '@offer-ads/testing/stores/valkey';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { connectSharedCounts, type SharedCounts } from '../../src/limits/shared-counts.ts';

const open = new AsyncDisposableStack();
const namespace = testValkey().namespace;
const connectAs = async (change: (url: URL) => void = () => {}): Promise<SharedCounts> => {
  const url = new URL(testValkey().url);
  change(url);
  return open.use(
    await connectSharedCounts({
      url: url.href,
      namespace,
      answerMs: 1_000,
      logger: silentLogger,
      metrics: createMetrics('gateway'),
    }),
  );
};
/** A connection may take a second and is tried again after that, which a busy machine may need. */
const connected = async (): Promise<SharedCounts> => {
  const shared = await connectAs();
  await eventually(() => expect(shared.isUp()).toBe(true));
  return shared;
};
let counts: SharedCounts;
beforeAll(async () => {
  counts = await connected();
});
afterAll(async () => open.disposeAsync());

describe('shared counts', () => {
  it('add up over connections, with the end of the window that the first of them began', async () => {
    const other = await connected();
    const first = await counts.add('a', { requests: 1, windowSeconds: 30 });
    expect(first?.count).toBe(1);
    // The store's clock goes on between its steps.
    expect(first?.msToEnd).toBeGreaterThan(28_000);
    expect(first?.msToEnd).toBeLessThanOrEqual(30_000);
    const second = await other.add('a', { requests: 5, windowSeconds: 60 });
    expect(second?.count).toBe(6);
    expect(second?.msToEnd).toBeLessThanOrEqual(30_000);
  });

  it('begin anew when the window has ended', async () => {
    await counts.add('short', { requests: 7, windowSeconds: 1 });
    await eventually(async () => {
      expect((await counts.add('short', { requests: 1, windowSeconds: 1 }))?.count).toBe(1);
    });
  });

  it('are away when the store answers but does not let them in', async () => {
    const stranger = await connectAs((url) => {
      url.username = 'nobody';
      url.password = 'a-password-that-is-wrong';
    });
    expect(stranger.isUp()).toBe(false);
    expect(await stranger.add('a', { requests: 1, windowSeconds: 60 })).toBeNull();
  });
});
