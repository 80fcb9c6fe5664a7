import { expect, it } from '@jest/globals';
import type { Postgres } from '@offer-ads/platform/postgres/postgres';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { randomNumbers } from '@offer-ads/testing/random';
import { showingsOfViewers } from './showings.ts';

const now = new Date('2026-06-01T12:00:00Z');

/** @returns with the rows of shares that were written: offer, matched, fair share, shown */
function underTest() {
  const rows: number[][] = [];
  const query = async (_statement: unknown, values: readonly unknown[] = []) => {
    const [, ids, ...columns] = values as [Date, number[], number[], number[], number[]];
    if (ids?.length > 0)
      rows.push(...ids.map((id, at) => [id].concat(columns.map((column) => column[at] ?? 0))));
    return [];
  };
  const showings = showingsOfViewers({
    postgres: { query } as unknown as Postgres,
    clock: { now: () => now },
    logger: silentLogger,
    metrics: createMetrics('test'),
    random: randomNumbers(20_261_123),
  });
  return { showings, rows };
}

it('of hundreds of matching offers a random part is noted and stands for all; showings are exact', async () => {
  const { showings, rows } = underTest();
  const eligible = Array.from({ length: 300 }, (_, at) => ({ offerId: 1 + at, lack: 0 }));
  for (let time = 0; time < 3_000; time += 1)
    showings.note(undefined, { eligible, chosen: eligible.slice(0, 3), wanted: 3 });
  await showings.write();
  expect(rows.map(([offerId]) => offerId)).toEqual(eligible.map(({ offerId }) => offerId));
  // Ten times the root of the variance of what is noted.
  for (const [offerId, matched = 0, fairShare = 0, shown] of rows) {
    expect(Math.abs(matched - 3_000)).toBeLessThan(10 * Math.sqrt(3_000 * 9));
    expect(fairShare).toBeCloseTo(matched / 100, 5);
    expect(shown).toBe(Number(offerId) <= 3 ? 3_000 : 0);
  }
  for (const [at, { lack }] of eligible.entries()) expect(lack).toBeCloseTo(rows[at]![2]! - rows[at]![3]!, 5);
  await showings[Symbol.asyncDispose]();
});

it('of a few matching offers each is noted exactly', async () => {
  const { showings, rows } = underTest();
  const eligible = Array.from({ length: 32 }, (_, at) => ({ offerId: 1 + at, lack: 0 }));
  for (let time = 0; time < 10; time += 1)
    showings.note(undefined, { eligible, chosen: [eligible[time]!], wanted: 1 });
  await showings.write();
  expect(rows).toEqual(eligible.map(({ offerId }) => [offerId, 10, 10 / 32, offerId <= 10 ? 1 : 0]));
  await showings[Symbol.asyncDispose]();
});
