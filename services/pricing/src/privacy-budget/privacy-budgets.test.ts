import { expect, it } from '@jest/globals';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { memorySpendingStore } from '../../test/memory-spending-store.ts';
import { openPrivacyBudgets } from './privacy-budgets.ts';

it.each([
  ['stores its last spending', false, 1],
  ['stops although the store is away, and its last spending is lost', true, 0],
])('a replica that stops %s', async (_, away, spent) => {
  const store = Object.assign(memorySpendingStore(), { away });
  const budgets = openPrivacyBudgets({
    perDay: 200,
    per30Days: undefined,
    minCohort: 10,
    secret: 'a-secret-that-only-this-test-uses-0123456789',
    store,
    shareEveryMs: 60_000,
    logger: silentLogger,
    metrics: createMetrics('pricing'),
  });
  const asker = { organisationId: 1, personId: 2, keyId: 3, mailbox: 'm', network: 'a' };
  const target = { latitude: 51.5, longitude: -0.12, radiusMiles: 5, gender: [], interests: [] };
  budgets.discloseCount({ asker, target, counted: 3, now: new Date('2026-11-20T18:00:00Z') });
  await budgets[Symbol.asyncDispose]();
  const ids = ['organisation 1', 'person m', 'network a'];
  expect(await store.totals('2026-11-20', ids)).toEqual(ids.map((id) => ({ id, spent })));
});
