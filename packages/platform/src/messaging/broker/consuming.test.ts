/** A consumer without a broker. */
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { silentLogger } from '@offer-ads/testing/logger';
import type { Channel, ConsumeMessage } from 'amqplib';
import { Counted, counted } from '../../../test/test-events.ts';
import { createMetrics } from '../../telemetry/metrics.ts';
import { on, onShared } from './broker.ts';
import { startConsuming } from './consuming.ts';
import { type Subscription, toMessage } from './messages.ts';
import { brokerNames } from './topology.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** Gets events, which it handles until the test ends them. */
async function consuming(
  subscription: Subscription,
  { events = 1, cancel }: { events?: number; cancel?: () => Promise<never> } = {},
) {
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
  const { stop } = await startConsuming({
    channel: channel as unknown as Channel,
    publish: async () => {},
    service: 'billing',
    names: brokerNames(''),
    kind: 'main',
    subscriptions: [subscription],
    retryDelaysMs: [],
    withhold: ({ content }) => ({ content, isWhole: true }),
    onCancelled: () => {},
    logger: silentLogger,
    metrics: createMetrics('billing'),
  });
  const take = await given.promise;
  for (let deliveryTag = 1; deliveryTag <= events; deliveryTag += 1) {
    const { content, headers, messageId } = toMessage(counted(deliveryTag), Counted, 'offer-ads');
    take({
      content,
      properties: { headers, messageId },
      fields: { deliveryTag },
    } as unknown as ConsumeMessage);
  }
  return { stop };
}

describe('handlers', () => {
  it.each([
    ['that each use a connection are few at once', on, 5],
    ['that share a transaction are as many at once as the broker sends ahead', onShared, 30],
  ])('%s', async (_what, subscribe, atOnce) => {
    const over = Promise.withResolvers<void>();
    let begun = 0;
    const handle = async () => {
      begun += 1;
      await over.promise;
    };
    const { stop } = await consuming(subscribe(Counted, handle), {
      events: 30,
      cancel: () => Promise.reject(),
    });
    await jest.advanceTimersByTimeAsync(0);
    expect(begun).toBe(atOnce);
    over.resolve();
    await stop();
  });
});

describe('a consumer that is stopped', () => {
  it.each([
    ['has lost its channel', on, () => Promise.reject(new Error('channel closed'))],
    ['gets no answer from its broker', on, () => new Promise<never>(() => {})],
    ['has lost its channel, with a shared transaction,', onShared, () => Promise.reject(new Error('closed'))],
  ])('waits only for the event at work when it %s', async (_trouble, subscribe, cancel) => {
    const handled = Promise.withResolvers<void>();
    const { stop } = await consuming(
      subscribe(Counted, () => handled.promise),
      { cancel },
    );
    let stopped = false;
    const stopping = stop().finally(() => {
      stopped = true;
    });
    await jest.advanceTimersByTimeAsync(10_000);
    expect(stopped).toBe(false);
    handled.resolve();
    await jest.advanceTimersByTimeAsync(0);
    expect(stopped).toBe(true);
    await stopping;
  });
});
