import { describe, expect, it } from '@jest/globals';
import { eventTypes, webhookBody } from '@offer-ads/contracts/webhooks/webhook-types';
import { sampleOf } from '../../../test/events.ts';
import { webhookSources, webhookText } from './webhook-messages.ts';

const at = new Date('2026-06-01T12:00:00.000Z');

describe('webhooks', () => {
  it('have one event each', () => {
    expect(webhookSources.map(({ type }) => type).toSorted()).toEqual([...eventTypes].toSorted());
  });

  it.each(webhookSources)('$type has exactly the fields of its schema', (source) => {
    const body: unknown = JSON.parse(
      webhookText(source.type, at, source.dataOf(sampleOf(source.declaration))),
    );
    expect(webhookBody(source.type).parse(body)).toEqual(body);
  });

  it.each(webhookSources)('$type says nothing about people', (source) => {
    const sample = {
      ...(sampleOf(source.declaration) as object),
      createdBy: 4_711,
      email: 'ann@cafe.example',
    };
    expect(webhookText(source.type, at, source.dataOf(sample))).not.toMatch(/4711|@|created_?by/i);
  });
});
