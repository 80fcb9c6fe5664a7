/** Acknowledges many deliveries with one frame: with thousands of events a second, one frame each would be the broker's main load. */
import type { Channel, ConsumeMessage } from 'amqplib';

export type Acknowledging = {
  /** Call it for every delivery of the channel, in their order. */
  readonly delivered: (message: ConsumeMessage) => void;
  /** Throws when the channel is closed: the broker then delivers everything again that was not acknowledged. */
  readonly ack: (messages: readonly ConsumeMessage[]) => void;
  readonly giveBack: (message: ConsumeMessage) => void;
  /** Deliveries that are neither acknowledged nor given back, oldest first. */
  readonly inHand: () => { readonly count: number; readonly first: ConsumeMessage | undefined };
};

export function acknowledgeOn(channel: Channel): Acknowledging {
  /** By delivery tag, oldest first. */
  const open = new Map<number, ConsumeMessage>();

  /** The last delivery of which all earlier ones are done: one frame acknowledges it and all before it. */
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
        // The channel is closed, so the broker delivers it again anyway.
      }
    },
    inHand: () => ({ count: open.size, first: open.values().next().value }),
  };
}
