/** Two declarations, a broker corner and a builder for the tests of events. */
import { declareEvent } from '@offer-ads/contracts/events/event-declaration';
import { silentLogger } from '@offer-ads/testing/logger';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { z } from 'zod';
import { type Broker, connectBroker } from '../src/messaging/broker/broker.ts';
import { newEvent, type OutgoingEvent } from '../src/messaging/events.ts';
import { createMetrics, type Metrics } from '../src/telemetry/metrics.ts';

export const Counted = declareEvent({
  name: 'Counted',
  version: 1,
  owner: 'offers',
  consumers: ['billing'],
  schema: z.object({ count: z.int() }),
  meaning: 'A test counted.',
});

export const Whispered = declareEvent({
  name: 'Whispered',
  version: 1,
  owner: 'offers',
  consumers: [],
  schema: z.object({ text: z.string() }),
  meaning: 'Nobody of the system listens.',
});

/** Carries a credential. */
export const Unlocked = declareEvent({
  name: 'Unlocked',
  version: 1,
  owner: 'offers',
  consumers: ['pricing'],
  schema: z.object({ door: z.string(), link: z.string() }),
  meaning: 'A test may open a door.',
  credentials: ['link'],
});

export const testDeclarations = [Counted, Whispered, Unlocked];

export function counted(count: number): OutgoingEvent {
  const at = new Date('2026-06-01T12:00:00.000Z');
  return newEvent(Counted, { subject: 'test/1', subjectVersion: count, at, data: { count } });
}

/** Short delays, so that five attempts take a fraction of a second. */
export const testRetryDelaysMs = [20, 30, 40, 50];
/** As short while a store is away. */
const holdingPauses = { firstMs: 10, longestMs: 20 };

/** Resolves once it is connected, however long that takes, unless `isDown`. */
export async function connectTestBroker(
  o: { url: string; namespace: string },
  service: 'offers' | 'billing' | 'pricing',
  {
    isDown = false,
    ...options
  }: {
    isDown?: boolean;
    confirmTimeoutMs?: number;
    retryDelaysMs?: readonly number[];
    heldAtMostMs?: number;
    metrics?: Metrics;
  } = {},
): Promise<Broker> {
  const broker = await connectBroker({
    url: o.url,
    namespace: o.namespace,
    service,
    declarations: testDeclarations,
    logger: silentLogger,
    metrics: createMetrics(service),
    retryDelaysMs: testRetryDelaysMs,
    holdingPauses,
    ...options,
  });
  if (!isDown)
    await eventually(() => {
      if (!broker.connected()) throw new Error('not connected yet');
    });
  return broker;
}
