import { describe, expect, test } from '@jest/globals';
import type { CreationSample, Creations } from './creations.ts';
import { creationsReport } from './creations-report.ts';
import { far, first, type Listing } from './listing/listing.ts';
import { listingReport } from './listing/listing-report.ts';
import type { OneBalanceSample } from './one-balance.ts';
import { oneBalanceReport } from './one-balance-report.ts';
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
    walBytes: 8_192,
    walSyncs: 4,
    walSyncMs: 2,
    commits: new Map([['bench_1_offers', 6]]),
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
    diskSyncMs: [1],
    pictureBytes: 1_024,
    postgres: '18',
    durability: 'fsync on',
  });

  test('compares medians with bare commits', () => {
    const report = creationsReport(run(1));
    expect(report).toContain('moderation on 0.100 × as many a second, 10.0 × as long alone');
    expect(report).toContain('| moderation on | 10.0 (0.1–10.0) |');
  });

  test('says from the figures what bounds', () => {
    expect(creationsReport(run(0.95))).toContain(
      'what bounds creations is the processor (95 % of the cores busy): of the time on it moderation 75 %, RabbitMQ 25 %',
    );
    expect(creationsReport(run(0.5))).toContain('what bounds creations is waiting, not the processor (50 %');
    expect(creationsReport(run(0.5))).toContain('being synced 8 % of the time');
  });

  test('does not hide that the server was not durable', () => {
    expect(creationsReport({ ...run(1), durability: null })).toContain('**not durable**');
  });
});

describe('the report of many clients at one balance', () => {
  const money = { charges: 2, chargedMinor: 20n, balanceFellMinor: 20n, offersShown: 2 };
  const answer = (status: number, retryAfter?: string) => ({ status, retryAfter, text: '', tookMs: 5 });
  const sample = (changed: Partial<OneBalanceSample>): OneBalanceSample => ({
    clients: 64,
    isBusy: false,
    seconds: 1,
    creations: 2,
    answers: [answer(200), answer(503, '1'), answer(200)],
    money,
    ...changed,
  });

  test.each([
    ['a charge for each creation', {}, '2 offers are shown ✓; 0 503 without `Retry-After` ✓'],
    ['a balance that fell by more', { money: { ...money, balanceFellMinor: 21n } }, '2 offers are shown ✗'],
    ['a charge without its offer', { money: { ...money, offersShown: 1 } }, '1 offers are shown ✗'],
    ['a refusal that says no time', { answers: [answer(503)] }, '1 503 without `Retry-After` ✗'],
  ])('says whether all is right: %s', (_, changed, words) => {
    expect(oneBalanceReport([sample(changed)])).toContain(words);
  });
});
