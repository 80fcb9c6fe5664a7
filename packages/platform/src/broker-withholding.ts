/** What of a message may be kept and shown: credentials that an event carries must not lie about in a parked queue. */
import type { EventDeclaration } from '@offer-ads/contracts/event-declaration';
import type { Message } from 'amqplib';

export const withheld = '[withheld]';

/** The body without its credentials; null when the event has none. */
export type Withhold = (message: Message) => Buffer | null;

export function withholdCredentials(byType: ReadonlyMap<string, EventDeclaration>): Withhold {
  return (message) => {
    const type: unknown = message.properties.headers?.['cloudEvents_type'];
    const credentials = (typeof type === 'string' ? byType.get(type)?.credentials : undefined) ?? [];
    return credentials.length === 0 ? null : without(credentials, message.content);
  };
}

function without(credentials: readonly string[], content: Buffer): Buffer {
  const body = parseObject(content);
  // Where the credential stands in such a body, nobody can say.
  if (body === undefined) return Buffer.from(withheld);
  const kept = Object.entries(body).map(([field, value]) => [
    field,
    credentials.includes(field) ? withheld : value,
  ]);
  return Buffer.from(JSON.stringify(Object.fromEntries(kept)));
}

function parseObject(content: Buffer): object | undefined {
  try {
    const body: unknown = JSON.parse(content.toString('utf8'));
    return typeof body === 'object' && body !== null && !Array.isArray(body) ? body : undefined;
  } catch {
    return undefined;
  }
}
