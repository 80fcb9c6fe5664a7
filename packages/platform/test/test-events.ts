/** Events of their own for tests, and what tests of events share: a store, connections, messages of strangers. */
import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { declareEvent, type EventDeclaration } from '@offer-ads/contracts/events/event-declaration';
import { silentLogger } from '@offer-ads/testing/logger';
import { untilConnected } from '@offer-ads/testing/stores/broker';
import { createEmptyDatabase } from '@offer-ads/testing/stores/database';
import { connect } from 'amqplib';
import { z } from 'zod';
import { type Broker, connectBroker } from '../src/messaging/broker/broker.ts';
import { newEvent, type OutgoingEvent } from '../src/messaging/events.ts';
import { migrate } from '../src/postgres/migrations.ts';
import { openPostgres, type Postgres } from '../src/postgres/postgres.ts';
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
  meaning: 'No service consumes it.',
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

/** Comes by the thousand. */
export const Poured = declareEvent({
  name: 'Poured',
  version: 1,
  owner: 'offers',
  consumers: ['billing'],
  schema: z.object({ drop: z.int() }),
  bulk: true,
  meaning: 'A test poured.',
});

export const testDeclarations = [Counted, Whispered, Unlocked];

export function counted(count: number): OutgoingEvent {
  const at = new Date('2026-06-01T12:00:00.000Z');
  return newEvent(Counted, { subject: 'test/1', subjectVersion: count, at, data: { count } });
}

/** Short delays, so that five attempts take a fraction of a second. */
export const testRetryDelaysMs = [20, 30, 40, 50];
/** The same for pauses while a store is unavailable. */
const storePauses = { firstMs: 10, longestMs: 20 };

/** Resolves when it is connected, unless `isDown`. */
export async function connectTestBroker(
  o: { url: string; namespace: string },
  service: 'offers' | 'billing' | 'pricing',
  {
    isDown = false,
    ...options
  }: {
    isDown?: boolean;
    confirmTimeoutMs?: number;
    declarations?: readonly EventDeclaration[];
    retryDelaysMs?: readonly number[];
    waitsAtMostMs?: number;
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
    storePauses,
    ...options,
  });
  if (!isDown) await untilConnected(broker);
  return broker;
}

/** Publishes like a stranger who does not follow our conventions: to the exchange, or straight into a queue. */
export async function publishRaw(
  o: { url: string; namespace: string },
  message: { body: string; headers?: Record<string, unknown>; routingKey?: string; queue?: string },
): Promise<void> {
  const connection = await connect(o.url);
  const channel = await connection.createConfirmChannel();
  const { body, headers = {}, routingKey = 'offers.Counted.v1', queue } = message;
  const properties = { headers, messageId: randomUUID() };
  if (queue !== undefined) channel.sendToQueue(`${o.namespace}.${queue}`, Buffer.from(body), properties);
  else channel.publish(`${o.namespace}.offer-ads`, routingKey, Buffer.from(body), properties);
  await channel.waitForConfirms();
  await connection.close();
}

export type EventStore = AsyncDisposable & { readonly url: string; readonly postgres: Postgres };

/** A database with outbox and inbox. Its statements may take long; time-outs are tested in postgres.int.test.ts. */
export async function openEventStore(): Promise<EventStore> {
  const database = await createEmptyDatabase();
  await migrate({ url: database.url, directory: await mkdtemp(join(tmpdir(), 'no-migrations-')) });
  const postgres = await openPatiently(database.url);
  const dispose = async () => {
    await postgres[Symbol.asyncDispose]();
    await database.dispose();
  };
  return { url: database.url, postgres, [Symbol.asyncDispose]: dispose };
}

export function openPatiently(url: string): Promise<Postgres> {
  return openPostgres({
    url,
    logger: silentLogger,
    metrics: createMetrics('offers'),
    statementTimeoutMs: 60_000,
  });
}

export const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);
