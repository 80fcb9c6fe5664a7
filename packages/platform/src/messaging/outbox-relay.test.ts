import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { silentLogger } from '@offer-ads/testing/logger';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { createMetrics } from '../telemetry/metrics.ts';
import type { Broker } from './broker/broker.ts';
import { RELAY_BATCH_SIZE, startRelay } from './outbox-relay.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** Each batch takes a tenth of a second. */
function relaying(sizeOfBatch: (batch: number) => number | 'busy', everyMs = 3_600_000) {
  const told = { batches: 0 };
  const relay = startRelay({
    relayBatch: async () => {
      await nextTurn();
      jest.advanceTimersByTime(100);
      told.batches += 1;
      return sizeOfBatch(told.batches);
    },
    countWaiting: async () => ({ events: 0, oldestAgeMs: undefined }),
    everyMs,
    broker: { connected: () => true } as Broker,
    logger: silentLogger,
    metrics: createMetrics('offers'),
  });
  return { relay, told };
}

describe('an outbox that is woken', () => {
  it('tries again while another relay is running, which may not have seen the new events', async () => {
    const { relay, told } = relaying((batch) => (batch === 1 ? 0 : batch < 5 ? 'busy' : 1));
    await nextTurn();
    relay.wake();
    await eventually(() => {
      jest.advanceTimersByTime(100);
      expect(told.batches).toBe(5);
    });
    jest.advanceTimersByTime(60_000);
    await nextTurn();
    expect(told.batches).toBe(5);
    await relay[Symbol.asyncDispose]();
  });

  it('waits for its poll when another relay runs for longer than the poll interval', async () => {
    const { relay, told } = relaying(() => 'busy', 60_000);
    relay.wake();
    for (let turn = 0; turn < 1_000; turn += 1) {
      jest.advanceTimersByTime(60_000);
      await nextTurn();
    }
    // One at the start, one after `wake`, then after 5 ms, 10 ms and so on up to 41 s. The poll itself is not on this clock.
    expect(told.batches).toBe(2 + 14);
    await relay[Symbol.asyncDispose]();
  });
});

describe('an outbox that is stopped', () => {
  it('leaves a long backlog to other replicas', async () => {
    const { relay, told } = relaying(() => RELAY_BATCH_SIZE);
    await relay[Symbol.asyncDispose]();
    expect(told.batches).toBeGreaterThan(10);
    expect(told.batches).toBeLessThan(50);
  });

  it('publishes a backlog of a few batches', async () => {
    const { relay, told } = relaying((batch) => (batch < 5 ? RELAY_BATCH_SIZE : 7));
    await relay[Symbol.asyncDispose]();
    expect(told.batches).toBeGreaterThanOrEqual(5);
  });
});
