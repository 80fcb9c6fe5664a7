/** Removes credentials and exact positions of people from messages before they are parked or shown. */
import { attributeIn } from '@offer-ads/contracts/events/cloud-events';
import type { EventDeclaration } from '@offer-ads/contracts/events/event-declaration';
import type { Message } from 'amqplib';

export const withheld = '[withheld]';

export type Kept = {
  readonly content: Buffer;
  /** False: something that the consumer needs was removed. */
  readonly isWhole: boolean;
};

/** The body without what must not be stored. */
export type Withhold = (message: Message) => Kept;

type Sensitive = Pick<EventDeclaration, 'credentials' | 'positions'>;

export function withholdSensitive(byType: ReadonlyMap<string, EventDeclaration>): Withhold {
  const all = [...byType.values()];
  /** Of an event whose type is missing or wrong: it may be any. */
  const ofAny: Sensitive = {
    credentials: all.flatMap(({ credentials = [] }) => credentials),
    positions: all.flatMap(({ positions = [] }) => positions),
  };
  return ({ content, properties }) => {
    const type: unknown = attributeIn(properties.headers, 'type');
    const { credentials = [], positions = [] }: Sensitive =
      (typeof type === 'string' ? byType.get(type) : undefined) ?? ofAny;
    if (credentials.length === 0 && positions.length === 0) return { content, isWhole: true };
    return keptOf(content, credentials, positions);
  };
}

function keptOf(content: Buffer, credentials: readonly string[], positions: readonly string[]): Kept {
  const body = parseObject(content);
  // The body cannot be parsed, so the credential or position in it cannot be found.
  if (body === undefined) return { content: Buffer.from(withheld), isWhole: false };
  let isWhole = true;
  const entries = Object.entries(body).map(([field, value]) => {
    const isCredential = credentials.includes(field);
    if (!isCredential && !positions.includes(field)) return [field, value];
    if (!isCredential && typeof value === 'number') return [field, Math.round(value * 100) / 100];
    isWhole = false;
    return [field, withheld];
  });
  return { content: Buffer.from(JSON.stringify(Object.fromEntries(entries))), isWhole };
}

function parseObject(content: Buffer): object | undefined {
  try {
    const body: unknown = JSON.parse(content.toString('utf8'));
    return typeof body === 'object' && body !== null && !Array.isArray(body) ? body : undefined;
  } catch {
    return undefined;
  }
}
