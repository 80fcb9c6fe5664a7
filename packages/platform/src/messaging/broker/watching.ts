/** Metrics of the lengths of a service's own queues, so that the broker's Prometheus plugin is not needed. */
import type { Channel, ChannelModel } from 'amqplib';
import { type Loop, startLoop } from '../../process/loops.ts';
import type { Logger } from '../../telemetry/logging.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { InHand } from './consuming.ts';
import { within } from './publishing.ts';
import type { BrokerNames, BrokerUser, QueueKind } from './topology.ts';

/** As often as metrics are scraped. One measurement is six short requests. */
const LOOK_EVERY_MS = 15_000;
const LOOK_TIMEOUT_MS = 5_000;

export function watchQueues(o: {
  /** Undefined while the broker is unreachable. */
  model: () => ChannelModel | undefined;
  names: BrokerNames;
  service: BrokerUser;
  kinds: readonly QueueKind[];
  retryDelaysMs: readonly number[];
  inHand: (kind: QueueKind) => InHand;
  logger: Logger;
  metrics: Metrics;
}): Loop {
  const { names, service } = o;
  const messages = o.metrics.gauge({
    name: 'queue_messages',
    help: 'Messages of the service that wait in the broker: in its queues (main, bulk), for a later try, or parked for a person',
    labelNames: ['queue'],
  });
  const count = {
    name: 'events_in_hand',
    help: 'Events that were delivered and are not finished yet',
    labelNames: ['queue'] as const,
  };
  o.metrics.readGauge(count, (gauge) => {
    for (const queue of o.kinds) gauge.set({ queue }, o.inHand(queue).count);
  });
  const age = {
    name: 'events_in_hand_oldest_age_seconds',
    help: 'Age of the oldest event that was delivered and is not finished yet; 0 when there is none',
    labelNames: ['queue'] as const,
  };
  o.metrics.readGauge(age, (gauge) => {
    for (const queue of o.kinds) gauge.set({ queue }, o.inHand(queue).oldestAgeMs / 1_000);
  });

  async function look(model: ChannelModel): Promise<void> {
    // Uses its own channel: asking for a missing queue closes the channel.
    const channel = await model.createChannel();
    channel.on('error', (error) => o.logger.warn({ error }, 'broker channel failed'));
    try {
      for (const queue of o.kinds)
        messages.set({ queue }, await lengthOf(channel, [names.queue(service, queue)]));
      const retries = o.kinds.flatMap((kind) =>
        o.retryDelaysMs.map((delayMs) => names.retry(service, kind, delayMs)),
      );
      messages.set({ queue: 'retry' }, await lengthOf(channel, retries));
      messages.set({ queue: 'parked' }, await lengthOf(channel, [names.parked(service)]));
    } finally {
      channel.close().catch(() => {});
    }
  }

  return startLoop({
    name: 'queue-look',
    everyMs: LOOK_EVERY_MS,
    logger: o.logger,
    metrics: o.metrics,
    work: async () => {
      const model = o.model();
      // The lengths are unknown, and `broker_connected` shows why.
      if (model === undefined) return messages.reset();
      try {
        await within(
          LOOK_TIMEOUT_MS,
          look(model),
          'the broker did not report the lengths of the queues in time',
        );
      } catch (error) {
        // Do not report old values as current. The alert LoopFailing shows that measuring fails.
        messages.reset();
        throw error;
      }
    },
  });
}

async function lengthOf(channel: Channel, queues: readonly string[]): Promise<number> {
  let sum = 0;
  for (const queue of queues) sum += (await channel.checkQueue(queue)).messageCount;
  return sum;
}
