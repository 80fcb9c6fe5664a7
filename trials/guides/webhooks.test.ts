/** The guide of webhooks names every type with all of its fields. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { webhookData, webhookTypes } from '@offer-ads/contracts/webhooks/webhook-types';

const guide = readFileSync(join(import.meta.dirname, '../../docs/guides/webhooks.md'), 'utf8');
const rows = new Map(
  guide
    .split('\n')
    .map((line) => /^\| `([a-z]+\.[a-z_]+)` \| .+ \| ([`\w ]+) \|$/.exec(line))
    .flatMap((row) => (row === null ? [] : [[row[1] ?? '', row[2] ?? ''] as const])),
);

it('has a row for each type, and no other', () => {
  expect([...rows.keys()]).toEqual(webhookTypes);
});

it.each(webhookTypes)('%s has the fields of its schema', (type) => {
  const fields = Object.keys(webhookData[type].shape).map((field) => `\`${field}\``);
  expect(['`environment`', ...(rows.get(type) ?? '').split(' ')].toSorted()).toEqual(fields.toSorted());
});
