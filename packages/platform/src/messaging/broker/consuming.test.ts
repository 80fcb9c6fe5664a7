/** A consumer without a broker. */
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { silentLogger } from '@offer-ads/testing/logger';
import type { Channel, ConsumeMessage } from 'amqplib';
import { Counted, counted } from '../../../test/test-events.ts';
import { createMetrics } from '../../telemetry/metrics.ts';
import { on } from './broker.ts';
import { startConsuming } from './consuming.ts';
import { toMessage } from './messages.ts';
import { brokerNames } from './topology.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** Gets one event, which it handles until the test ends it. */
async function consumingOne(cancel: () => Promise<never>) {
  const handled = Promise.withResolvers<void>();
  const given = Promise.withResolvers<(message: ConsumeMessage) => void>();
  const channel = {
    on: () => {},
    prefetch: async () => {},
    consume: async (_queue: string, take: (message: ConsumeMessage) => void) => {
      given.resolve(take);
      return { consumerTag: 'one' };
    },
    cancel,
    ack: () => {},
    nackAll: () => {},
  };
  const consuming = await startConsuming({
    channel: channel as unknown as Channel,
    publish: async () => {},
    service: 'billing',
    names: brokerNames(''),
    kind: 'main',
    subscriptions: [on(Counted, () => handled.promise)],
    retryDelaysMs: [],
    withhold: ({ content }) => ({ content, isWhole: true }),
    onCancelled: () => {},
    logger: silentLogger,
    metrics: createMetrics('billing'),
  });
  const { content, headers, messageId } = toMessage(counted(1), Counted, 'offer-ads');
  const take = await given.promise;
  take({
    content,
    properties: { headers, messageId },
    fields: { deliveryTag: 1 },
  } as unknown as ConsumeMessage);
  return { stop: consuming.stop, release: handled.resolve };
}

describe('a consumer that is stopped', () => {
  it.each([
    ['has lost its channel', () => Promise.reject(new Error('channel closed'))],
    ['gets no answer from its broker', () => new Promise<never>(() => {})],
  ])('waits only for the event at work when it %s', async (_trouble, cancel) => {
    const { stop, release } = await consumingOne(cancel);
    let stopped = false;
    const stopping = stop().finally(() => {
      stopped = true;
    });
    await jest.advanceTimersByTimeAsync(10_000);
    expect(stopped).toBe(false);
    release();
    await jest.advanceTimersByTimeAsync(0);
    expect(stopped).toBe(true);
    await stopping;
  });
});
