/** The declaration of an event, made by its owner. Queues, routing keys and documents are derived from it. */
import type { z } from 'zod';
import type { ServiceName } from '../values/primitives.ts';

/** Who may own an event: one of the services, or the community platform outside the system. */
export type EventOwner = ServiceName | 'community';

export type EventDeclaration<Name extends string = string, Schema extends z.ZodType = z.ZodType> = {
  /** Past tense, PascalCase. */
  readonly name: Name;
  /** Raised when a change would break a consumer. */
  readonly version: number;
  readonly owner: EventOwner;
  /** Services of this system that consume it. Empty: only systems outside may listen, so publishing is not `mandatory`. */
  readonly consumers: readonly ServiceName[];
  readonly schema: Schema;
  /** One line of documentation. */
  readonly meaning: string;
  /** Fields that are credentials, such as sign-in links: they are delivered to the consumer and stored nowhere else. */
  readonly credentials?: readonly string[];
  /** Coordinates of a person in degrees. Parked messages keep only two decimals, about a kilometre. */
  readonly positions?: readonly string[];
  /** It comes by the thousand. At each consumer such events have a queue of their own, so that they delay no other event. */
  readonly bulk?: true;
};

export type EventData<Declaration extends EventDeclaration> = z.infer<Declaration['schema']>;

export function declareEvent<Name extends string, Schema extends z.ZodType>(
  declaration: EventDeclaration<Name, Schema> & {
    readonly credentials?: readonly (keyof z.infer<Schema> & string)[];
    readonly positions?: readonly (keyof z.infer<Schema> & string)[];
  },
): EventDeclaration<Name, Schema> {
  return Object.freeze(declaration);
}

/** Topic routing key, for example `offers.OfferPaused.v1`. */
export function routingKey(declaration: EventDeclaration): string {
  return `${declaration.owner}.${declaration.name}.v${declaration.version}`;
}

/** CloudEvents `source`. */
export function eventSource(owner: EventOwner): string {
  return `/offer-ads/${owner}`;
}

/** CloudEvents `type`, for example `offer-ads.offers.OfferPaused.v1`. */
export function eventType(declaration: EventDeclaration): string {
  return `offer-ads.${routingKey(declaration)}`;
}
