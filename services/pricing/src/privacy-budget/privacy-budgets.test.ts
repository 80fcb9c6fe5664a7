import { expect, it } from '@jest/globals';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { openPrivacyBudgets } from './privacy-budgets.ts';
import type { Spending } from './replica-budgets.ts';

const asker = { organisationId: 1, personId: 2, keyId: 3, mailbox: 'm', network: 'a' };
const target = { latitude: 51.5, longitude: -0.12, radiusMiles: 5, gender: [], interests: [] };

function open(add: (spent: readonly Spending[]) => Promise<void>) {
  return openPrivacyBudgets({
    perDay: 200,
    per30Days: undefined,
    minCohort: 10,
    secret: 'a-secret-that-only-this-test-uses-0123456789',
    store: { add: (_, spent) => add(spent), totals: async () => [], before: async () => [] },
    shareEveryMs: 60_000,
    logger: silentLogger,
    metrics: createMetrics('pricing'),
  });
}

it('a replica that stops stores its last spending', async () => {
  const shared: Spending[] = [];
  const budgets = open(async (spent) => void shared.push(...spent));
  budgets.discloseCount({ asker, target, counted: 3, now: new Date() });
  await budgets[Symbol.asyncDispose]();
  expect(shared).toEqual([
    { id: 'organisation 1', spent: 1 },
    { id: 'person m', spent: 1 },
    { id: 'network a', spent: 1 },
  ]);
});

it('a replica stops although the store is away, and its last spending is lost', async () => {
  const budgets = open(() => Promise.reject(new Error('the store is away')));
  budgets.discloseCount({ asker, target, counted: 3, now: new Date() });
  await expect(budgets[Symbol.asyncDispose]()).resolves.toBeUndefined();
});
