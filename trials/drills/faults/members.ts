/** Changes of members as the community platform publishes them, and an invalid one. */
import { setTimeout as pause } from 'node:timers/promises';
import { MemberChanged, type MemberFacts } from '@offer-ads/contracts/events/community';
import { connectBroker } from '@offer-ads/platform/messaging/broker/broker';
import { newEvent, type OutgoingEvent } from '@offer-ads/platform/messaging/events';
import { createLogger } from '@offer-ads/platform/telemetry/logging';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { MongoClient } from 'mongodb';
import type { DrillSystem } from '../system.ts';

const BATCH = 500;
const CONNECTED_WITHIN_MS = 30_000;

/** Ids below those of generated members; the same ones each time. */
const FIRST_MEMBER = 900_000_001;

export async function changeMembers(system: DrillSystem, count: number): Promise<void> {
  const changes = Array.from({ length: count }, (_, place) => changed(FIRST_MEMBER + place));
  await publish(system, changes);
}

/** Names an interest twice, so that no consumer can read the event. */
export async function poison(system: DrillSystem): Promise<void> {
  const event = changed(FIRST_MEMBER);
  await publish(system, [{ ...event, data: { ...(event.data as object), interests: [1, 1] } }]);
}

/** Writes a member past pricing, at a place that does not exist. */
export async function misplaceMember({ stores }: DrillSystem): Promise<void> {
  await using client = await new MongoClient(stores.mongo.pricing).connect();
  const members = client.db().collection<{ _id: number }>('members');
  const position = { type: 'Point', coordinates: [0, 200] };
  const facts = { version: 1, position, gender: 'Female', interests: [], active: true, banned: false };
  await members.replaceOne({ _id: FIRST_MEMBER }, facts, { upsert: true });
}

function changed(memberId: number): OutgoingEvent {
  const at = new Date();
  const version = at.getTime();
  const facts: MemberFacts = {
    memberId,
    latitude: 51.5,
    longitude: -0.1,
    gender: 'Female',
    interests: [],
    active: true,
    banned: false,
  };
  const about = { subject: `member/${memberId}`, subjectVersion: version, at };
  return newEvent(MemberChanged, { ...about, data: { ...facts, version } });
}

async function publish({ stores }: DrillSystem, events: readonly OutgoingEvent[]): Promise<void> {
  await using broker = await connectBroker({
    url: stores.rabbitmq,
    service: 'admin',
    declarations: [MemberChanged],
    logger: createLogger({ service: 'admin', level: 'silent' }),
    metrics: createMetrics('admin'),
  });
  await connected(broker);
  for (let done = 0; done < events.length; done += BATCH)
    await broker.publish(events.slice(done, done + BATCH));
}

/** A busy machine may be slow. */
async function connected(broker: { connected: () => boolean }): Promise<void> {
  const giveUpAt = performance.now() + CONNECTED_WITHIN_MS;
  while (!broker.connected() && performance.now() < giveUpAt) await pause(100);
}
