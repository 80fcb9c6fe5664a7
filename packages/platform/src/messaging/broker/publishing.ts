/** Publishing with confirms under a time-out; a returned message is a failure. */
import type { ConfirmChannel } from 'amqplib';
import { serviceUnavailable } from '../../process/faults.ts';
import { within as orLate } from '../../process/within.ts';
import { inSpan, restingTrace, traceIn } from '../../telemetry/traces.ts';
import type { OutgoingMessage } from './messages.ts';

/** Resolves when the broker has confirmed all of them. After a rejection some may have arrived. */
export type Publish = (messages: readonly OutgoingMessage[]) => Promise<void>;

export function confirmedPublish(
  channel: ConfirmChannel,
  o: { timeoutMs: number; onUnroutable: () => void },
): Publish {
  const returned = new Set<string>();
  // The broker returns a message before it confirms it.
  channel.on('return', (message) => returned.add(String(message.properties.messageId)));

  const publishOne = (message: OutgoingMessage) =>
    // Continue the trace that caused the event: the relay publishes later, outside of it.
    inSpan(
      {
        name: `publish ${message.exchange || 'to a queue'}`,
        kind: 'PRODUCER',
        parent: traceIn(message.headers),
      },
      () => sent(message),
    );

  const sent = (message: OutgoingMessage) =>
    new Promise<void>((resolve, reject) => {
      const fail = (problem: string, error?: unknown) =>
        reject(serviceUnavailable(`broker: ${problem}`, error));
      const finish = (error: unknown) => {
        if (returned.delete(message.messageId)) {
          o.onUnroutable();
          fail(`no queue for ${message.routingKey}`);
        } else if (error) fail(`${message.routingKey} not confirmed`, error);
        else resolve();
      };
      const options = {
        persistent: true,
        contentType: 'application/json',
        messageId: message.messageId,
        headers: { ...message.headers, ...restingTrace() },
        mandatory: message.mandatory,
      };
      channel.publish(message.exchange, message.routingKey, message.content, options, finish);
    });

  // Everything is written to the channel synchronously, so the order of the list is kept.
  return async (messages) => {
    await within(o.timeoutMs, Promise.all(messages.map(publishOne)), 'confirms did not come in time');
  };
}

/** Sets a time-out: when the broker dies at the wrong moment, an answer may never come. @throws the 503 fault */
export async function within<T>(timeoutMs: number, work: Promise<T>, problem: string): Promise<T> {
  return orLate(timeoutMs, work, () => {
    throw serviceUnavailable(`broker: ${problem}`);
  });
}
