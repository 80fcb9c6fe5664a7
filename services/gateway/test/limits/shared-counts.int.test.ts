import { afterAll, describe, expect, it } from '@jest/globals';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { testValkey } from '@offer-ads/testing/stores/valkey';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { CountAnswer } from '../../src/counting/node-counts.ts';
import { connectSharedCounts, type SharedCounts } from '../../src/counting/shared-counts.ts';

const open = new AsyncDisposableStack();
const namespace = testValkey().namespace;
afterAll(async () => open.disposeAsync());

async function connectAs(login: { username?: string; password?: string } = {}): Promise<SharedCounts> {
  const url = Object.assign(new URL(testValkey().url), login).href;
  const [logger, metrics] = [silentLogger, createMetrics('gateway')];
  return open.use(await connectSharedCounts({ url, namespace, answerMs: 1_000, logger, metrics }));
}

const countOf = (answer: CountAnswer) => (typeof answer === 'string' ? undefined : answer);

describe('shared counts', () => {
  it('add up over connections, in the window that began with the first count, until it ends', async () => {
    const [one, other] = [await connectAs(), await connectAs()];
    // A busy machine may need more than one connection.
    for (const shared of [one, other]) await eventually(() => expect(shared.isUp('a')).toBe(true));
    const first = countOf(await one.add('a', { requests: 1, windowSeconds: 30 }));
    expect(first?.count).toBe(1);
    // The store's clock goes on between its steps.
    expect(first?.msToEnd).toBeGreaterThan(28_000);
    expect(first?.msToEnd).toBeLessThanOrEqual(30_000);
    const second = countOf(await other.add('a', { requests: 5, windowSeconds: 60 }));
    expect(second?.count).toBe(6);
    expect(second?.msToEnd).toBeLessThanOrEqual(30_000);
    await one.add('short', { requests: 7, windowSeconds: 1 });
    await eventually(async () => {
      expect(countOf(await one.add('short', { requests: 1, windowSeconds: 1 }))?.count).toBe(1);
    });
  });

  it('count each of many requests at once, and each client by itself', async () => {
    const shared = await connectAs();
    await eventually(() => expect(shared.isUp('a')).toBe(true));
    const clients = Array.from({ length: 600 }, (_, index) => `many-${index % 3}`);
    const added = clients.map((client) => shared.add(client, { requests: 1, windowSeconds: 60 }));
    const counts = (await Promise.all(added)).map((answer) => countOf(answer)?.count);
    expect(counts).toEqual(clients.map((_, index) => Math.floor(index / 3) + 1));
  });

  it('are unavailable if the store answers but refuses the login', async () => {
    const stranger = await connectAs({ username: 'nobody', password: 'a-password-that-is-wrong' });
    expect(stranger.isUp('a')).toBe(false);
    expect(await stranger.add('a', { requests: 1, windowSeconds: 60 })).toBe('no-answer');
  });
});
