import { describe, expect, test } from '@jest/globals';
import type { CreationSample, Creations } from './creations.ts';
import { creationsReport } from './creations-report.ts';
import { far, first, type Listing } from './listing/listing.ts';
import { listingReport } from './listing/listing-report.ts';
import type { Moderation } from './system.ts';

const load = (done: number, latencyMs: number) => ({
  done,
  seconds: 10,
  latenciesMs: Array.from({ length: done }, () => latencyMs),
});

describe('the report of the listing', () => {
  const listing = (farMs: number): Listing => ({
    plan: { rounds: 1, offers: 1_000_000, farPage: 10_000, askedEach: 1 },
    pages: new Map([
      [first, [[2]]],
      [far, [[farMs]]],
    ]),
    foreignLoad: 0,
  });

  test.each([
    [3, '1.50', '✓'],
    [3.1, '1.55', '✗'],
    [1, '0.50', '✗'],
  ])('says whether the far page, of %d ms beside 2, keeps to the aim', (farMs, ratio, mark) => {
    expect(listingReport(listing(farMs))).toContain(`first: ${ratio}, aim: at most 1.5 either way ${mark}`);
  });
});

describe('the report of creations', () => {
  const sample = (moderation: Moderation, done: number, busy: number): CreationSample => ({
    moderation,
    saturated: load(done, 100),
    alone: load(10, 50),
    cpuMs: new Map([
      ['moderation', 30],
      ['beam.smp', 10],
    ]),
    busy,
    foreignLoad: 0,
    writes: 8,
  });
  const run = (busy: number): Creations => ({
    // One disturbed round does not decide.
    samples: [
      sample('the model', 100, busy),
      sample('the model', 1, busy),
      sample('the model', 100, busy),
      sample('a stand-in', 200, busy),
    ],
    peers: [{ saturated: load(1_000, 8), alone: load(100, 5) }],
    writes: 8,
    pictureBytes: 1_024,
    postgres: '18',
    durability: 'fsync on',
  });

  test('compares medians with bare commits', () => {
    const report = creationsReport(run(1));
    expect(report).toContain('moderation on 0.100 × as many a second, 10.0 × as long alone');
    expect(report).toContain('| moderation on | 10.0 (0.1–10.0) |');
  });

  test('does not hide that the server was not durable', () => {
    expect(creationsReport({ ...run(1), durability: null })).toContain('**not durable**');
  });
});
