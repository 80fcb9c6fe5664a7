/** Acknowledging in few frames: a frame for each of many thousand events a second would cost the broker more than they do. */
import type { Channel, ConsumeMessage } from 'amqplib';

export type Acknowledging = {
  /** Every delivery of the channel is told of, in the order in which they come. */
  readonly delivered: (message: ConsumeMessage) => void;
  /** Throws when the channel is gone, and with it every delivery that was not acknowledged. */
  readonly ack: (messages: readonly ConsumeMessage[]) => void;
  readonly giveBack: (message: ConsumeMessage) => void;
  /** Those that were delivered and neither acknowledged nor given back, oldest delivery first. */
  readonly inHand: () => { readonly count: number; readonly first: ConsumeMessage | undefined };
};

export function acknowledgeOn(channel: Channel): Acknowledging {
  /** By delivery tag, oldest first. */
  const open = new Map<number, ConsumeMessage>();

  /** The last before which nothing else is open: one frame acknowledges it and all before it. */
  function lastOfOldest(done: ReadonlySet<number>): ConsumeMessage | undefined {
    let last: ConsumeMessage | undefined;
    for (const [tag, message] of open) {
      if (!done.has(tag)) break;
      last = message;
    }
    return last;
  }

  return {
    delivered: (message) => open.set(message.fields.deliveryTag, message),
    ack: (messages) => {
      const last = lastOfOldest(new Set(messages.map((message) => message.fields.deliveryTag)));
      for (const message of messages) open.delete(message.fields.deliveryTag);
      if (last !== undefined) channel.ack(last, true);
      const upTo = last?.fields.deliveryTag ?? 0;
      for (const message of messages) if (message.fields.deliveryTag > upTo) channel.ack(message);
    },
    giveBack: (message) => {
      open.delete(message.fields.deliveryTag);
      try {
        channel.nack(message);
      } catch {
        // The channel is gone, so the broker delivers it again anyway.
      }
    },
    inHand: () => ({ count: open.size, first: open.values().next().value }),
  };
}
