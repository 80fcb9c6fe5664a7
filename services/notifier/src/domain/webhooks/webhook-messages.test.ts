import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { routingKey } from '@offer-ads/contracts/events/event-declaration';
import { eventTypes, webhookBody } from '@offer-ads/contracts/webhooks/webhook-types';
import { webhookSources, webhookText } from './webhook-messages.ts';

const samples = new URL('../../../../../packages/contracts/samples/', import.meta.url);
const sampleOf = (source: (typeof webhookSources)[number]) => {
  const text = readFileSync(new URL(`${routingKey(source.declaration)}.json`, samples), 'utf8');
  return source.declaration.schema.parse(JSON.parse(text));
};
const at = new Date('2026-06-01T12:00:00.000Z');

describe('webhooks', () => {
  it('have one event each', () => {
    expect(webhookSources.map(({ type }) => type).toSorted()).toEqual([...eventTypes].toSorted());
  });

  it.each(webhookSources)('$type has exactly the fields of its schema', (source) => {
    const body: unknown = JSON.parse(webhookText(source.type, at, source.dataOf(sampleOf(source))));
    expect(webhookBody(source.type).parse(body)).toEqual(body);
  });

  it.each(webhookSources)('$type says nothing about people', (source) => {
    const sample = { ...(sampleOf(source) as object), createdBy: 4_711, email: 'ann@cafe.example' };
    expect(webhookText(source.type, at, source.dataOf(sample))).not.toMatch(/4711|@|created_?by/i);
  });
});
