/** Events as AMQP messages: CloudEvents 1.0 attributes and W3C trace context in the headers, the data as JSON body. */
import type { EventDeclaration } from '@offer-ads/contracts/events/event-declaration';
import { routingKey } from '@offer-ads/contracts/events/event-declaration';
import type { Message, MessagePropertyHeaders } from 'amqplib';
import { z } from 'zod';
import type { OutgoingEvent, ReceivedEvent } from '../events.ts';

/** A message ready to be published. */
export type OutgoingMessage = {
  readonly exchange: string;
  readonly routingKey: string;
  readonly content: Buffer;
  readonly messageId: string;
  readonly headers: MessagePropertyHeaders;
  /** An unroutable message counts as failed. */
  readonly mandatory: boolean;
};

export type Subscription = {
  readonly declaration: EventDeclaration;
  readonly handle: (event: ReceivedEvent) => Promise<void>;
  /** If given, events are handled in batches; `handle` then handles only events of failed batches. */
  readonly handleTogether?: (events: readonly ReceivedEvent[]) => Promise<void>;
  /** Handlers that wait for each other to share a transaction. They take none of the places for handlers at work at once. */
  readonly isShared?: true;
};

export function toMessage(
  event: OutgoingEvent,
  declaration: EventDeclaration,
  exchange: string,
): OutgoingMessage {
  return {
    exchange,
    routingKey: routingKey(declaration),
    content: Buffer.from(JSON.stringify(event.data)),
    messageId: event.id,
    mandatory: declaration.consumers.length > 0,
    headers: {
      cloudEvents_specversion: '1.0',
      cloudEvents_id: event.id,
      cloudEvents_source: `/offer-ads/${declaration.owner}`,
      cloudEvents_type: event.type,
      cloudEvents_time: event.time,
      cloudEvents_subject: event.subject,
      cloudEvents_subjectversion: event.subjectVersion,
      ...event.trace,
    },
  };
}

const attributes = z.object({
  cloudEvents_specversion: z.literal('1.0'),
  cloudEvents_id: z.uuid(),
  cloudEvents_time: z.iso.datetime({ offset: true }),
  cloudEvents_subject: z.string().min(1),
  cloudEvents_subjectversion: z.int().nonnegative(),
});

export type ReadMessage =
  | { readonly ok: true; readonly subscription: Subscription; readonly event: ReceivedEvent }
  | { readonly ok: false; readonly reason: string };

/** An unreadable message will never be readable, so it is parked. The reason is for the person who looks at it. */
export function readMessage(message: Message, subscriptions: ReadonlyMap<string, Subscription>): ReadMessage {
  const type: unknown = message.properties.headers?.['cloudEvents_type'];
  const subscription = typeof type === 'string' ? subscriptions.get(type) : undefined;
  if (subscription === undefined) return { ok: false, reason: `unknown event type ${JSON.stringify(type)}` };
  const headers = attributes.safeParse(message.properties.headers);
  if (!headers.success) return { ok: false, reason: `bad attributes: ${faultsOf(headers.error)}` };
  const body = parseJson(message.content);
  if (body === undefined) return { ok: false, reason: 'the body is not JSON' };
  const data = subscription.declaration.schema.safeParse(body);
  if (!data.success)
    return {
      ok: false,
      reason: `the body does not fit ${subscription.declaration.name}: ${faultsOf(data.error)}`,
    };
  const event: ReceivedEvent = {
    id: headers.data.cloudEvents_id,
    time: new Date(headers.data.cloudEvents_time),
    subject: headers.data.cloudEvents_subject,
    subjectVersion: headers.data.cloudEvents_subjectversion,
    data: data.data,
  };
  return { ok: true, subscription, event };
}

/** Undefined means "not JSON": it is no JSON value. */
function parseJson(content: Buffer): unknown {
  try {
    return JSON.parse(content.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Paths and messages only: there zod does not repeat the values, which may be personal. */
function faultsOf(error: z.ZodError): string {
  return error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
}
