import { expect, it } from '@jest/globals';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { testClock } from '@offer-ads/testing/clock';
import { silentLogger } from '@offer-ads/testing/logger';
import type { OffersContext } from '../context.ts';
import { offersMeters } from '../meters.ts';
import { startClicks } from './clicks.ts';

it('of clicks that wait for the database, 20,000 are kept; the others are counted as lost', async () => {
  const metrics = createMetrics('offers');
  const postgres = {
    transaction: () => Promise.reject(new Error('the database is away')),
  } as unknown as OffersContext['postgres'];
  const seenAt = new Date('2026-06-01T12:00:00Z');
  const clicks = startClicks({
    postgres,
    metrics,
    meters: offersMeters(metrics),
    clock: testClock(seenAt),
    logger: silentLogger,
  });
  const click = { kind: 'click', offerId: 1, seenAt, viewer: undefined, automated: false } as const;
  await Promise.all(Array.from({ length: 20_010 }, (_, n) => clicks.record({ ...click, eventId: `${n}` })));
  const lost = async () =>
    (await metrics.registry.getSingleMetric('clicks_lost_total')?.get())?.values[0]?.value;
  expect(await lost()).toBe(10);
  await clicks[Symbol.asyncDispose]();
  expect(await lost()).toBe(20_010);
});
