/** Every generated document by its path below `generated/`. */
import { communityOpenApiDocument } from '../community/openapi.ts';
import { asyncApiDocument, eventJsonSchema, eventSchemaFile } from '../events/asyncapi.ts';
import { allEvents } from '../events/events.ts';
import { portalOpenApiDocument } from '../portal/openapi.ts';
import { webhookJsonSchema } from '../webhooks/webhook-schemas.ts';
import { webhookTypes } from '../webhooks/webhook-types.ts';
import { openApiDocument } from './openapi.ts';

const text = (document: object): string => `${JSON.stringify(document, null, 2)}\n`;

/** @returns path below `generated/` -> content, formatted as it is committed. */
export function allDocuments(): ReadonlyMap<string, string> {
  return new Map([
    ['openapi.json', text(openApiDocument())],
    ['portal-openapi.json', text(portalOpenApiDocument())],
    ['community-openapi.json', text(communityOpenApiDocument())],
    ['asyncapi.json', text(asyncApiDocument())],
    ...allEvents.map((declaration): [string, string] => [
      `events/${eventSchemaFile(declaration)}`,
      text(eventJsonSchema(declaration)),
    ]),
    ...webhookTypes.map((type): [string, string] => [`webhooks/${type}.json`, text(webhookJsonSchema(type))]),
  ]);
}
