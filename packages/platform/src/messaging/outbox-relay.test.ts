import { EventEmitter } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { silentLogger } from '@offer-ads/testing/logger';
import type { Postgres } from '../postgres/postgres.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import type { Broker } from './broker/broker.ts';
import { BATCH_SIZE, startOutboxRelay } from './outbox-relay.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** Each batch, a transaction, takes a tenth of a second. */
function relaying(batch: (index: number) => number | 'busy') {
  const told = { batches: 0 };
  const postgres = {
    transaction: async () => {
      await nextTurn();
      jest.advanceTimersByTime(100);
      told.batches += 1;
      return batch(told.batches);
    },
    query: async () => [],
    committed: new EventEmitter(),
  } as unknown as Postgres;
  const broker = { connected: () => true, types: [] } as unknown as Broker;
  const metrics = createMetrics('offers');
  return { told, relay: startOutboxRelay({ postgres, broker, logger: silentLogger, metrics }) };
}

describe('an outbox that is relayed', () => {
  it('is asked again while another relay is running, which may not have seen the newest events', async () => {
    const { told, relay } = relaying((batch) => (batch < 4 ? 'busy' : 1));
    await relay.runNow();
    // Four of the run at the start, and one of this.
    expect(told.batches).toBe(5);
    await relay[Symbol.asyncDispose]();
  });

  it('is left to the poll when the other relay takes longer than that', async () => {
    const { told, relay } = relaying(() => 'busy');
    await relay.runNow();
    expect(told.batches).toBeGreaterThan(10);
    expect(told.batches).toBeLessThan(40);
    await relay[Symbol.asyncDispose]();
  });
});

describe('an outbox that is stopped', () => {
  it('leaves a long backlog to other replicas', async () => {
    const { told, relay } = relaying(() => BATCH_SIZE);
    await relay[Symbol.asyncDispose]();
    expect(told.batches).toBeGreaterThan(10);
    expect(told.batches).toBeLessThan(50);
  });

  it('publishes a backlog of a few batches', async () => {
    const { told, relay } = relaying((batch) => (batch < 5 ? BATCH_SIZE : 7));
    await relay[Symbol.asyncDispose]();
    expect(told.batches).toBeGreaterThanOrEqual(5);
  });
});
