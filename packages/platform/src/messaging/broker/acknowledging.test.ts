import { describe, expect, it } from '@jest/globals';
import type { Channel, ConsumeMessage } from 'amqplib';
import { acknowledgeOn } from './acknowledging.ts';

/** A channel that records its frames, with so many deliveries. */
function afterDeliveries(count: number) {
  const frames: string[] = [];
  const channel = {
    ack: ({ fields }: ConsumeMessage, allUpTo = false) =>
      frames.push(allUpTo ? `all up to ${fields.deliveryTag}` : `${fields.deliveryTag}`),
    nack: ({ fields }: ConsumeMessage) => frames.push(`not ${fields.deliveryTag}`),
  };
  const acknowledging = acknowledgeOn(channel as unknown as Channel);
  const messages = Array.from({ length: count }, (_, index) => ({
    fields: { deliveryTag: index + 1 },
  })) as ConsumeMessage[];
  for (const message of messages) acknowledging.delivered(message);
  const tagged = (...tags: number[]) => messages.filter(({ fields }) => tags.includes(fields.deliveryTag));
  return { frames, tagged, ...acknowledging };
}

describe('acknowledging', () => {
  it('sends one frame for the oldest deliveries', () => {
    const { frames, ack, tagged } = afterDeliveries(5);
    ack(tagged(1, 2, 3));
    ack(tagged(4, 5));
    expect(frames).toEqual(['all up to 3', 'all up to 5']);
  });

  it('never includes a delivery that is still at work', () => {
    const { frames, ack, tagged } = afterDeliveries(6);
    ack(tagged(1, 2, 4, 5));
    expect(frames).toEqual(['all up to 2', '4', '5']);
    ack(tagged(6));
    expect(frames.slice(3)).toEqual(['6']);
    ack(tagged(3));
    expect(frames.slice(4)).toEqual(['all up to 3']);
  });

  it('does not wait for a delivery that was given back', () => {
    const { frames, ack, giveBack, tagged } = afterDeliveries(3);
    for (const message of tagged(1)) giveBack(message);
    ack(tagged(2, 3));
    expect(frames).toEqual(['not 1', 'all up to 3']);
  });
});
