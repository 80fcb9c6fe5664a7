/** Builds events from their declarations. */
import { randomUUID } from 'node:crypto';
import type { EventData, EventDeclaration } from '@offer-ads/contracts/events/event-declaration';
import { eventType } from '@offer-ads/contracts/events/event-declaration';
import type { SpanContext } from '@opentelemetry/api';
import { type RestingTrace, restingTrace } from '../telemetry/traces.ts';

/** An event to be published; plain JSON, because it is stored in the outbox first. */
export type OutgoingEvent = {
  readonly id: string;
  readonly type: string;
  /** ISO 8601. */
  readonly time: string;
  /** The entity that the event is about, for example `offer/17`. */
  readonly subject: string;
  /** Orders the events of one subject. */
  readonly subjectVersion: number;
  readonly data: unknown;
  /** W3C trace context of the work that caused the event, because the relay publishes later, outside of that trace. */
  readonly trace: RestingTrace;
};

export type ReceivedEvent<D extends EventDeclaration = EventDeclaration> = {
  readonly declaration: D;
  readonly id: string;
  readonly time: Date;
  readonly subject: string;
  readonly subjectVersion: number;
  readonly data: EventData<D>;
  /** Of the work that caused the event; null if it had none. */
  readonly trace: SpanContext | null;
};

export type NewEvent<D extends EventDeclaration> = {
  readonly subject: string;
  readonly subjectVersion: number;
  readonly at: Date;
  readonly data: EventData<D>;
};

/** Throws when the data does not fit the declaration: that is a bug, never bad input. */
export function newEvent<D extends EventDeclaration>(declaration: D, o: NewEvent<D>): OutgoingEvent {
  return {
    id: randomUUID(),
    type: eventType(declaration),
    time: o.at.toISOString(),
    subject: o.subject,
    subjectVersion: o.subjectVersion,
    data: declaration.schema.parse(o.data),
    trace: restingTrace(),
  };
}
