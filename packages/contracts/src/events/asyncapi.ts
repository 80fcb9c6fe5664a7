/** The events as an AsyncAPI 3 document: one channel per event on the topic exchange, one operation per side. */
import { z } from 'zod';
import { messageSchema, withoutNoise } from '../public/json-schema.ts';
import { eventAttributes, headerPrefixes } from './cloud-events.ts';
import { type EventDeclaration, eventType, routingKey } from './event-declaration.ts';
import { allEvents } from './events.ts';

/** The durable topic exchange that carries every event. */
export const exchangeName = 'offer-ads';

/** @returns the JSON Schema (draft 2020-12) of an event's data. */
export function eventJsonSchema(declaration: EventDeclaration): object {
  return { $id: `${eventType(declaration)}.json`, ...messageSchema(declaration.schema) };
}

/** File name of an event's schema below `generated/events/`. */
export function eventSchemaFile(declaration: EventDeclaration): string {
  return `${routingKey(declaration)}.json`;
}

function headersSchema(): object {
  const { properties = {}, required = [] } = z.toJSONSchema(eventAttributes, {
    override: ({ jsonSchema }) => withoutNoise({ jsonSchema }),
  });
  const [prefix, other] = headerPrefixes;
  return {
    type: 'object',
    description: `The prefix \`${other}\` is read, too.`,
    required: required.map((name) => `${prefix}${name}`),
    properties: {
      ...Object.fromEntries(Object.entries(properties).map(([name, schema]) => [`${prefix}${name}`, schema])),
      traceparent: { type: 'string', description: 'W3C trace context.' },
    },
  };
}

function channelOf(declaration: EventDeclaration) {
  return {
    address: routingKey(declaration),
    messages: { [declaration.name]: { $ref: `#/components/messages/${declaration.name}` } },
    bindings: { amqp: { is: 'routingKey', exchange: { name: exchangeName, type: 'topic', durable: true } } },
  };
}

function messageOf(declaration: EventDeclaration) {
  return {
    name: eventType(declaration),
    title: declaration.name,
    summary: declaration.meaning,
    contentType: 'application/json',
    headers: { $ref: '#/components/schemas/CloudEventsHeaders' },
    payload: {
      schemaFormat: 'application/schema+json;version=draft-2020-12',
      schema: { $ref: `./events/${eventSchemaFile(declaration)}` },
    },
  };
}

function operationsOf(declaration: EventDeclaration) {
  const operation = (action: 'send' | 'receive') => ({
    action,
    channel: { $ref: `#/channels/${declaration.name}` },
    messages: [{ $ref: `#/channels/${declaration.name}/messages/${declaration.name}` }],
  });
  return [
    [`${declaration.owner}Sends${declaration.name}`, operation('send')] as const,
    ...declaration.consumers.map(
      (consumer) => [`${consumer}Receives${declaration.name}`, operation('receive')] as const,
    ),
  ];
}

/** @returns the document that is committed as `generated/asyncapi.json`. */
export function asyncApiDocument(): object {
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Offer Advertising Service events',
      version: '1.0.0',
      description:
        'CloudEvents 1.0 in AMQP binary form. Delivery is at least once and may reorder: compare the subject version or use the cumulative facts. ' +
        'A queue gets events from its binding on. Whoever follows offers and starts anew binds a queue, then reads all offers that have not ended ' +
        'from `GET /placements/offers` (community-openapi.json), then works through the queue.',
    },
    channels: Object.fromEntries(allEvents.map((declaration) => [declaration.name, channelOf(declaration)])),
    operations: Object.fromEntries(allEvents.flatMap(operationsOf)),
    components: {
      messages: Object.fromEntries(
        allEvents.map((declaration) => [declaration.name, messageOf(declaration)]),
      ),
      schemas: { CloudEventsHeaders: headersSchema() },
    },
  };
}
