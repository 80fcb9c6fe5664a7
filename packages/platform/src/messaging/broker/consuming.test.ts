/** A consumer without a broker: how it stops when the channel does not do as it is told. */
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { declareEvent } from '@offer-ads/contracts/events/event-declaration';
import { silentLogger } from '@offer-ads/testing/logger';
import type { Channel, ConsumeMessage } from 'amqplib';
import { z } from 'zod';
import { createMetrics } from '../../telemetry/metrics.ts';
import { newEvent } from '../events.ts';
import { on } from './broker.ts';
import { startConsuming } from './consuming.ts';
import { toMessage } from './messages.ts';
import { brokerNames } from './topology.ts';

const Counted = declareEvent({
  name: 'Counted',
  version: 1,
  owner: 'offers',
  consumers: ['billing'],
  schema: z.object({ count: z.int() }),
  meaning: 'A test counted.',
});

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** Is given one event, and is at it until it is let go. */
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
    subscriptions: [on(Counted, () => handled.promise)],
    retryDelaysMs: [],
    withhold: ({ content }) => ({ content, isWhole: true }),
    onCancelled: () => {},
    logger: silentLogger,
    metrics: createMetrics('billing'),
  });
  const at = new Date('2026-06-01T12:00:00.000Z');
  const event = newEvent(Counted, { subject: 'test/1', subjectVersion: 1, at, data: { count: 1 } });
  const { content, headers, messageId } = toMessage(event, Counted, 'offer-ads');
  const take = await given.promise;
  take({
    content,
    properties: { headers, messageId },
    fields: { deliveryTag: 1 },
  } as unknown as ConsumeMessage);
  return { stop: consuming.stop, letGo: handled.resolve };
}

describe('a consumer that is stopped', () => {
  it.each([
    ['has lost its channel', () => Promise.reject(new Error('channel closed'))],
    ['hears nothing of its broker', () => new Promise<never>(() => {})],
  ])('waits for the event at work, and for nothing else, when it %s', async (_trouble, cancel) => {
    const { stop, letGo } = await consumingOne(cancel);
    let stopped = false;
    const stopping = stop().finally(() => {
      stopped = true;
    });
    await jest.advanceTimersByTimeAsync(10_000);
    expect(stopped).toBe(false);
    letGo();
    await jest.advanceTimersByTimeAsync(0);
    expect(stopped).toBe(true);
    await stopping;
  });
});
