import { expect, it } from '@jest/globals';
import type { Channel } from 'amqplib';
import { listParked } from './parking.ts';

/** A queue that gets a message after it was counted, and needs a while to take it back. */
function slowQueue() {
  const message = { content: Buffer.from('{}'), properties: { messageId: 'late', headers: {} } };
  const counts = [0, 0, 0, 1];
  const messages = [message];
  let counted = 0;
  const channel = {
    checkQueue: async () => ({ messageCount: counts[Math.min(counted++, counts.length - 1)] }),
    get: async () => messages.shift() ?? false,
    nackAll: () => {},
  };
  return { channel: channel as unknown as Channel, counted: () => counted };
}

it('a list waits until messages that were parked meanwhile are in the queue again', async () => {
  const { channel, counted } = slowQueue();
  const listed = await listParked(channel, {
    parked: 'parked',
    limit: 10,
    withhold: ({ content }) => ({ content, isWhole: true }),
  });
  expect(listed).toMatchObject([{ id: 'late' }]);
  expect(counted()).toBe(4);
});
