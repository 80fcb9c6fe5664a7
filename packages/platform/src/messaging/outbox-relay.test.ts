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

/** Stops a relay of which each batch, a transaction, takes a tenth of a second. Returns the number of batches. */
async function stoppedAfter(sizeOfBatch: (batch: number) => number): Promise<number> {
  let batches = 0;
  const postgres = {
    transaction: async () => {
      await nextTurn();
      jest.advanceTimersByTime(100);
      batches += 1;
      return sizeOfBatch(batches);
    },
    query: async () => [],
    committed: new EventEmitter(),
  } as unknown as Postgres;
  const broker = { connected: () => true, types: [] } as unknown as Broker;
  const relay = startOutboxRelay({
    postgres,
    broker,
    logger: silentLogger,
    metrics: createMetrics('offers'),
  });
  await relay[Symbol.asyncDispose]();
  return batches;
}

describe('an outbox that is stopped', () => {
  it('leaves a long backlog to other replicas', async () => {
    const batches = await stoppedAfter(() => BATCH_SIZE);
    expect(batches).toBeGreaterThan(10);
    expect(batches).toBeLessThan(50);
  });

  it('publishes a backlog of a few batches', async () => {
    expect(await stoppedAfter((batch) => (batch < 5 ? BATCH_SIZE : 7))).toBeGreaterThanOrEqual(5);
  });
});
