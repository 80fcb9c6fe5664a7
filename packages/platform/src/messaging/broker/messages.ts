/** Events as AMQP messages: CloudEvents 1.0 attributes and W3C trace context in the headers, the data as JSON body. */
import { attributeIn, eventAttributes, headersOf } from '@offer-ads/contracts/events/cloud-events';
import type { EventDeclaration } from '@offer-ads/contracts/events/event-declaration';
import { eventSource, routingKey } from '@offer-ads/contracts/events/event-declaration';
import { instantOf } from '@offer-ads/contracts/values/primitives';
import type { Message, MessagePropertyHeaders } from 'amqplib';
import type { z } from 'zod';
import { traceIn } from '../../telemetry/traces.ts';
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
  readonly inBatches?: BatchHandler;
};

/** Events of all subscriptions with the same handler share its batches. */
export type BatchHandler = {
  readonly atMost: number;
  readonly handle: (events: readonly ReceivedEvent[]) => Promise<void>;
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
      ...headersOf({
        specversion: '1.0',
        id: event.id,
        source: eventSource(declaration.owner),
        type: event.type,
        time: event.time,
        subject: event.subject,
        subjectversion: event.subjectVersion,
      }),
      ...event.trace,
    },
  };
}

/** Nothing here depends on the source. */
const read = eventAttributes.omit({ source: true });
const readNames = read.keyof().options;

export type ReadMessage =
  | { readonly ok: true; readonly subscription: Subscription; readonly event: ReceivedEvent }
  | { readonly ok: false; readonly reason: string };

/** An unreadable message will never be readable, so it is parked. The reason is for the person who looks at it. */
export function readMessage(message: Message, subscriptions: ReadonlyMap<string, Subscription>): ReadMessage {
  const { headers } = message.properties;
  const type = attributeIn(headers, 'type');
  const subscription = typeof type === 'string' ? subscriptions.get(type) : undefined;
  if (subscription === undefined) return { ok: false, reason: `unknown event type ${JSON.stringify(type)}` };
  const attributes = read.safeParse(
    Object.fromEntries(readNames.map((name) => [name, attributeIn(headers, name)])),
  );
  if (!attributes.success) return { ok: false, reason: `bad attributes: ${faultsOf(attributes.error)}` };
  const body = parseJson(message.content);
  if (body === undefined) return { ok: false, reason: 'the body is not JSON' };
  const data = subscription.declaration.schema.safeParse(body);
  if (!data.success)
    return {
      ok: false,
      reason: `the body does not fit ${subscription.declaration.name}: ${faultsOf(data.error)}`,
    };
  const event: ReceivedEvent = {
    declaration: subscription.declaration,
    id: attributes.data.id,
    time: instantOf(attributes.data.time),
    subject: attributes.data.subject,
    subjectVersion: attributes.data.subjectversion,
    data: data.data,
    trace: traceIn(headers ?? {}),
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
