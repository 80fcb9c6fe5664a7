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

/** Gets events, which it handles until the test ends them. */
async function consuming(
  handle: () => Promise<void>,
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
    subscriptions: [on(Counted, handle)],
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

it('handlers, which each use a connection, are few at once', async () => {
  const over = Promise.withResolvers<void>();
  let begun = 0;
  const handle = async () => {
    begun += 1;
    await over.promise;
  };
  const { stop } = await consuming(handle, { events: 30, cancel: () => Promise.reject() });
  await jest.advanceTimersByTimeAsync(0);
  expect(begun).toBe(5);
  over.resolve();
  await stop();
});

describe('a consumer that is stopped', () => {
  it.each([
    ['has lost its channel', () => Promise.reject(new Error('channel closed'))],
    ['gets no answer from its broker', () => new Promise<never>(() => {})],
  ])('waits only for the event at work when it %s', async (_trouble, cancel) => {
    const handled = Promise.withResolvers<void>();
    const { stop } = await consuming(() => handled.promise, { cancel });
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
