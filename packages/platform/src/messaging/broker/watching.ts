/** How long a service's own queues are: told by the service itself, so that nobody needs the broker's plugin for it. */
import type { Channel, ChannelModel } from 'amqplib';
import { type Loop, startLoop } from '../../process/loops.ts';
import type { Logger } from '../../telemetry/logging.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { InHand } from './consuming.ts';
import { within } from './publishing.ts';
import type { BrokerNames, BrokerUser } from './topology.ts';

/** As often as metrics are scraped; a look is six short questions. */
const LOOK_EVERY_MS = 15_000;
const LOOK_TIMEOUT_MS = 5_000;

export function watchQueues(o: {
  /** Undefined while the broker is away. */
  model: () => ChannelModel | undefined;
  names: BrokerNames;
  service: BrokerUser;
  retryDelaysMs: readonly number[];
  inHand: () => InHand;
  logger: Logger;
  metrics: Metrics;
}): Loop {
  const { names, service } = o;
  const messages = o.metrics.gauge({
    name: 'queue_messages',
    help: 'Messages of the service that wait in the broker: in its queue, for a later try, or parked for a person',
    labelNames: ['queue'],
  });
  const count = { name: 'events_in_hand', help: 'Events that were delivered and are not finished yet' };
  o.metrics.readGauge(count, (gauge) => gauge.set(o.inHand().count));
  const age = {
    name: 'events_in_hand_oldest_age_seconds',
    help: 'How long ago the event at the head of the queue happened, as far as it is in hand; 0 when none is',
  };
  o.metrics.readGauge(age, (gauge) => gauge.set(o.inHand().oldestAgeMs / 1_000));

  async function look(model: ChannelModel): Promise<void> {
    // Of its own: a question about a queue that is not there closes the channel.
    const channel = await model.createChannel();
    channel.on('error', (error) => o.logger.warn({ error }, 'broker channel failed'));
    try {
      const retries = o.retryDelaysMs.map((delayMs) => names.retry(service, delayMs));
      messages.set({ queue: 'main' }, await lengthOf(channel, [names.queue(service)]));
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
      // Nothing is known then, and `broker_connected` says why.
      if (model === undefined) return messages.reset();
      try {
        await within(LOOK_TIMEOUT_MS, look(model), 'the length of the queues was not told in time');
      } catch (error) {
        // What was so a while ago is not told as what is; that looks fail shows in LoopFailing.
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
