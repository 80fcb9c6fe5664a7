import { expect, test } from '@jest/globals';
import { type Run, type Sample, spreads, type Way, ways } from './measure.ts';
import { billingReport } from './report.ts';

const sample = (perSecond: number): Sample => ({
  perSecond,
  walSyncs: 1,
  walBytes: 2_000,
  cpuMicros: 500,
  nodeCpuMicros: 300,
  foreignLoad: 0,
});

function run(rates: Readonly<Record<Way, number>>, durability: string | null = 'fsync on'): Run {
  const byWay = () =>
    // One disturbed round does not decide.
    new Map(ways.map((way) => [way, [sample(rates[way]), sample(1), sample(rates[way])]]));
  return {
    samples: new Map(spreads.map((spread) => [spread, byWay()])),
    webhooks: [{ perSecond: 200, p50Ms: 40, p99Ms: 90, aloneP50Ms: 10, aloneP99Ms: 20, foreignLoad: 0.25 }],
    relaying: [{ perSecond: 20_000, nodeCpuMicros: 18, idleP50Ms: 1, idleP99Ms: 2, foreignLoad: 0.1 }],
    roundTrips: 4,
    postgres: '18',
    pgbench: '15',
    durability,
  };
}

const rates = (ours: number): Record<Way, number> => ({
  "billing's function": ours,
  'over HTTP': 300,
  'pgbench, the same statements': 800,
  'pgbench, plain SQL': 1_000,
});

test.each([
  [900, '90 %', '✓'],
  [890, '89 %', '✗'],
])('%d charges a second are compared with the faster of two pgbenches', (ours, share, mark) => {
  const report = billingReport(run(rates(ours)));
  expect(report).toContain(`billing's function ${share} of the faster pgbench, aim: at least 90 % ${mark}`);
  expect(report).toContain('over HTTP 30 %');
});

test('webhooks are told with their p99, and how disturbed the machine was', () => {
  const report = billingReport(run(rates(700)));
  expect(report).toContain('| 10 at once | 200 (200–200) | 40.0 (40.0–40.0) | 90.0 (90.0–90.0) |');
  expect(report).toContain('Other processes took at most 25 % of the cores');
});

test('the relay is told with how soon one event arrives', () => {
  const report = billingReport(run(rates(700)));
  expect(report).toContain(
    '| one replica | 20,000 (20,000–20,000) | 18 (18–18) | 1.0 (1.0–1.0) | 2.0 (2.0–2.0) |',
  );
});

test('it is not hidden that the server was not durable', () => {
  expect(billingReport(run(rates(700), null))).toContain('**not durable**');
});
