/** The parking queue: messages that could not be handled, with the reason, until a person replays or drops them. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { ParkedMessage } from '@offer-ads/contracts/admin/events-api';
import { attributeIn } from '@offer-ads/contracts/events/cloud-events';
import type { Channel, ConfirmChannel, GetMessage, Message } from 'amqplib';
import { z } from 'zod';
import type { OutgoingMessage } from './messages.ts';
import type { Publish } from './publishing.ts';
import type { Withhold } from './withholding.ts';

export const attemptsHeader = 'x-attempts';
const reasonHeader = 'x-parked-reason';
const parkedAtHeader = 'x-parked-at';
/** Marks messages of which something that their consumer needs was removed before they were parked. */
const withheldHeader = 'x-withheld';

export type Selection = readonly string[] | 'all';

/** Publishes the unchanged message to one queue, with some of our headers changed. */
export function copyTo(
  message: Message,
  queue: string,
  headers: Readonly<Record<string, unknown>>,
): OutgoingMessage {
  return {
    exchange: '',
    routingKey: queue,
    content: message.content,
    // A message without an id gets one, so that a person can refer to it.
    messageId: typeof message.properties.messageId === 'string' ? message.properties.messageId : randomUUID(),
    headers: { ...message.properties.headers, ...headers },
    mandatory: true,
  };
}

export function toParked(
  message: Message,
  o: { queue: string; reason: string; attempts: number; withhold: Withhold },
): OutgoingMessage {
  const { content, isWhole } = o.withhold(message);
  const parked = copyTo(message, o.queue, {
    [reasonHeader]: o.reason,
    [parkedAtHeader]: new Date().toISOString(),
    [attemptsHeader]: o.attempts,
    ...(isWhole ? {} : { [withheldHeader]: true }),
  });
  return { ...parked, content };
}

/** The oldest parked messages; they stay in the queue. */
export async function listParked(
  channel: Channel,
  o: { parked: string; limit: number; withhold: Withhold },
): Promise<ParkedMessage[]> {
  const { messageCount } = await channel.checkQueue(o.parked);
  const listed: ParkedMessage[] = [];
  while (listed.length < o.limit) {
    const message = await channel.get(o.parked);
    if (message === false) break;
    // Messages parked by the broker itself still contain credentials.
    const { content } = o.withhold(message);
    listed.push({ ...describe(message), body: content.toString('utf8') });
  }
  // More than counted if messages were parked meanwhile.
  await giveBack(channel, o.parked, Math.max(messageCount, listed.length));
  return listed;
}

const GIVEN_BACK_WITHIN_MS = 2_000;
const LOOK_EVERY_MS = 20;

/**
 * The broker does not confirm messages that were given back. The next call (a person often lists and then replays) could miss some.
 * So this waits until the expected number is in the queue again, or a while at most, because somebody else may be reading them too.
 */
async function giveBack(channel: Channel, parked: string, expected: number): Promise<void> {
  channel.nackAll(true);
  for (let waitedMs = 0; waitedMs < GIVEN_BACK_WITHIN_MS; waitedMs += LOOK_EVERY_MS) {
    const { messageCount } = await channel.checkQueue(parked);
    if (messageCount >= expected) return;
    await pause(LOOK_EVERY_MS);
  }
}

/**
 * Sends the selected messages back to the service's queues as new deliveries. Returns their number. Messages of which something
 * was withheld are useless to a consumer and stay parked.
 */
export async function replayParked(
  channel: ConfirmChannel,
  o: { parked: string; queueOf: (type: string) => string; publish: Publish; select: Selection },
): Promise<number> {
  const isWanted = (message: GetMessage) => isSelected(message, o.select) && !isWithheld(message);
  return takeParked(channel, o.parked, isWanted, (message) =>
    o.publish([
      copyTo(message, o.queueOf(typeOf(message)), {
        [attemptsHeader]: 0,
        [reasonHeader]: undefined,
        [parkedAtHeader]: undefined,
      }),
    ]),
  );
}

/** Deletes the selected messages. Returns their number. */
export async function dropParked(channel: Channel, parked: string, select: Selection): Promise<number> {
  return takeParked(
    channel,
    parked,
    (message) => isSelected(message, select),
    async () => {},
  );
}

/**
 * Acknowledges each message only after its work is done. Messages that were not selected stay unacknowledged until all were read, and
 * are then given back. Messages that are parked meanwhile are left for the next call.
 */
async function takeParked(
  channel: Channel,
  parked: string,
  isWanted: (message: GetMessage) => boolean,
  deal: (message: GetMessage) => Promise<void>,
): Promise<number> {
  const { messageCount } = await channel.checkQueue(parked);
  let taken = 0;
  for (let seen = 0; seen < messageCount; seen += 1) {
    const message = await channel.get(parked);
    if (message === false) break;
    if (!isWanted(message)) continue;
    await deal(message);
    channel.ack(message);
    taken += 1;
  }
  await giveBack(channel, parked, messageCount - taken);
  return taken;
}

function isSelected(message: Message, select: Selection): boolean {
  return select === 'all' || select.includes(idOf(message));
}

function isWithheld(message: Message): boolean {
  return message.properties.headers?.[withheldHeader] === true;
}

function idOf(message: Message): string {
  return String(message.properties.messageId ?? attributeIn(message.properties.headers, 'id'));
}

function typeOf(message: Message): string {
  return String(attributeIn(message.properties.headers, 'type'));
}

/** Accepts any headers, because parked messages may be malformed. */
const parkedHeaders = z.object({
  [reasonHeader]: z.string().catch('the service stopped while handling it, again and again'),
  [parkedAtHeader]: z.string().nullable().catch(null),
  [attemptsHeader]: z.int().catch(0),
});

function textIn(message: Message, name: 'type' | 'subject'): string | null {
  const text = attributeIn(message.properties.headers, name);
  return typeof text === 'string' ? text : null;
}

function describe(message: Message): Omit<ParkedMessage, 'body'> {
  const headers = parkedHeaders.parse(message.properties.headers ?? {});
  return {
    id: idOf(message),
    type: textIn(message, 'type'),
    subject: textIn(message, 'subject'),
    reason: isWithheld(message)
      ? `${headers[reasonHeader]} (parked without what may not be stored, so it can only be dropped)`
      : headers[reasonHeader],
    attempts: headers[attemptsHeader],
    parkedAt: headers[parkedAtHeader],
  };
}
