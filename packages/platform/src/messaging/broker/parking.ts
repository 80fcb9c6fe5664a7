/** Messages that could not be handled wait here, with the reason, for a person to replay or drop them. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { ParkedMessage } from '@offer-ads/contracts/admin/events-api';
import type { Channel, ConfirmChannel, GetMessage, Message } from 'amqplib';
import { z } from 'zod';
import type { OutgoingMessage } from './messages.ts';
import type { Publish } from './publishing.ts';
import type { Withhold } from './withholding.ts';

export const attemptsHeader = 'x-attempts';
const reasonHeader = 'x-parked-reason';
const parkedAtHeader = 'x-parked-at';
/** Set on messages that were parked without their credentials. */
const withheldHeader = 'x-withheld';

export type Selection = readonly string[] | 'all';

/** The message as it came, straight to one queue, with headers of ours changed. */
export function copyTo(
  message: Message,
  queue: string,
  headers: Readonly<Record<string, unknown>>,
): OutgoingMessage {
  return {
    exchange: '',
    routingKey: queue,
    content: message.content,
    // Whoever published without an id gets one, so that a person can name the message.
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

/** The oldest parked messages; they stay where they are. */
export async function listParked(
  channel: Channel,
  o: { parked: string; limit: number; withhold: Withhold },
): Promise<ParkedMessage[]> {
  const { messageCount } = await channel.checkQueue(o.parked);
  const listed: ParkedMessage[] = [];
  while (listed.length < o.limit) {
    const message = await channel.get(o.parked);
    if (message === false) break;
    // What the broker itself parked still has everything.
    const { content } = o.withhold(message);
    listed.push({ ...describe(message), body: content.toString('utf8') });
  }
  // More, when some were parked between the count and the look.
  await giveBack(channel, o.parked, Math.max(messageCount, listed.length));
  return listed;
}

const GIVEN_BACK_WITHIN_MS = 2_000;
const LOOK_EVERY_MS = 20;

/**
 * The broker gives no word when it has what was given back: whoever asks next, as a person does who lists and then replays, would miss
 * some. So this waits until as many can be seen as there should be, unless somebody else is looking at them too.
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
 * Sends the selected ones back to the service's queue, as if they had just come. Says how many. Those without their
 * credentials are worth nothing to a consumer and stay.
 */
export async function replayParked(
  channel: ConfirmChannel,
  o: { parked: string; queue: string; publish: Publish; select: Selection },
): Promise<number> {
  const isWanted = (message: GetMessage) => isSelected(message, o.select) && !isWithheld(message);
  return takeParked(channel, o.parked, isWanted, (message) =>
    o.publish([
      copyTo(message, o.queue, {
        [attemptsHeader]: 0,
        [reasonHeader]: undefined,
        [parkedAtHeader]: undefined,
      }),
    ]),
  );
}

/** Deletes the selected ones for ever. Says how many. */
export async function dropParked(channel: Channel, parked: string, select: Selection): Promise<number> {
  return takeParked(
    channel,
    parked,
    (message) => isSelected(message, select),
    async () => {},
  );
}

/**
 * Each is acknowledged only after it was dealt with. What was not selected stays unacknowledged until all were looked at
 * and then goes back; what is parked meanwhile is beyond the count and waits for the next time.
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
  return String(message.properties.messageId);
}

/** Read leniently: what is parked may be anything. */
const parkedHeaders = z.object({
  cloudEvents_type: z.string().nullable().catch(null),
  cloudEvents_subject: z.string().nullable().catch(null),
  [reasonHeader]: z.string().catch('the service stopped while handling it, again and again'),
  [parkedAtHeader]: z.string().nullable().catch(null),
  [attemptsHeader]: z.int().catch(0),
});

function describe(message: Message): Omit<ParkedMessage, 'body'> {
  const headers = parkedHeaders.parse(message.properties.headers ?? {});
  return {
    id: idOf(message),
    type: headers.cloudEvents_type,
    subject: headers.cloudEvents_subject,
    reason: isWithheld(message)
      ? `${headers[reasonHeader]} (parked without its credentials, so it can only be dropped)`
      : headers[reasonHeader],
    attempts: headers[attemptsHeader],
    parkedAt: headers[parkedAtHeader],
  };
}
