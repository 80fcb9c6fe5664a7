import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { allDocuments } from '../public/documents.ts';
import { webhookTypes } from '../webhooks/webhook-types.ts';
import { routingKey } from './event-declaration.ts';
import { allEvents } from './events.ts';

const root = join(import.meta.dirname, '../..');

describe('events', () => {
  it('have one declaration for each sample, so that no version with consumers is removed by mistake', () => {
    const samples = readdirSync(join(root, 'samples')).map((file) => file.replace(/\.json$/, ''));
    expect(samples.toSorted()).toEqual(allEvents.map(routingKey).toSorted());
  });

  it('have unique names', () => {
    expect(new Set(allEvents.map((declaration) => declaration.name)).size).toBe(allEvents.length);
  });
});

describe('generated documents', () => {
  it.each([...allDocuments()])('%s is committed as generated', (file, text) => {
    expect(readFileSync(join(root, 'generated', file), 'utf8')).toBe(text);
  });

  it('the OpenAPI document describes every webhook, with the body of the document of its own', () => {
    type Described = {
      parameters: { $ref: string }[];
      requestBody: { content: { 'application/json': { schema: { $ref: string } } } };
      responses: object;
      security: unknown;
    };
    type Components = { schemas: Record<string, object>; parameters: Record<string, { name: string }> };
    const { webhooks, components } = JSON.parse(allDocuments().get('openapi.json') ?? '') as {
      webhooks: Record<string, { post: Described }>;
      components: Components;
    };
    const named = ({ $ref }: { $ref: string }) => $ref.split('/').at(-1) ?? '';
    const seen = Object.entries(webhooks).map(([type, { post }]) => ({
      type,
      body: components.schemas[named(post.requestBody.content['application/json'].schema)],
      headers: post.parameters.map((one) => components.parameters[named(one)]?.name),
      answers: Object.keys(post.responses),
      security: post.security,
    }));
    const expected = webhookTypes.map((type) => {
      const own = JSON.parse(allDocuments().get(`webhooks/${type}.json`) ?? '') as Record<string, unknown>;
      const { $id, $schema, ...body } = own;
      expect([$id, $schema]).not.toContain(undefined);
      const headers = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
      // No key: the signature says who sent it.
      return { type, body, headers, answers: ['410', '2XX', 'default'], security: [] };
    });
    expect(seen).toEqual(expected);
  });

  it('the OpenAPI document has every endpoint of the specification, and those that were added', () => {
    const document = JSON.parse(allDocuments().get('openapi.json') ?? '') as {
      paths: Record<string, object>;
    };
    const endpoints = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(endpoints.toSorted()).toEqual([
      'DELETE /offer-groups/{group_id}',
      'DELETE /offers/{offer_id}',
      'DELETE /test/clock',
      'DELETE /webhooks/{webhook_id}',
      'GET /balance',
      'GET /balance/entries',
      'GET /categories',
      'GET /interests',
      'GET /key',
      'GET /offer-groups/{group_id}',
      'GET /offer-groups/{group_id}/analytics/series',
      'GET /offers',
      'GET /offers/{offer_id}',
      'GET /offers/{offer_id}/analytics',
      'GET /offers/{offer_id}/analytics/series',
      'GET /offers/{offer_id}/changes',
      'GET /offers/{offer_id}/results',
      'GET /results',
      'GET /test/clock',
      'GET /webhooks',
      'GET /webhooks/{webhook_id}',
      'GET /webhooks/{webhook_id}/messages',
      'PATCH /offer-groups/{group_id}',
      'PATCH /offers/{offer_id}',
      'POST /offer-groups',
      'POST /offer-groups/price-estimate',
      'POST /offer-groups/{group_id}/pause',
      'POST /offer-groups/{group_id}/resume',
      'POST /offers',
      'POST /offers/price-estimate',
      'POST /offers/{offer_id}/credit-estimate',
      'POST /offers/{offer_id}/pause',
      'POST /offers/{offer_id}/resume',
      'POST /test/clock',
      'POST /webhooks',
      'POST /webhooks/{webhook_id}/disable',
      'POST /webhooks/{webhook_id}/enable',
      'POST /webhooks/{webhook_id}/messages/{message_id}/resend',
      'POST /webhooks/{webhook_id}/resend',
      'POST /webhooks/{webhook_id}/roll-secret',
      'POST /webhooks/{webhook_id}/test',
      'PUT /webhooks/{webhook_id}',
    ]);
  });
});
