import { describe, expect, test } from '@jest/globals';
import type { Sample } from './measure.ts';
import type { PeerName } from './peers/peers.ts';
import { judge, peerTable } from './table.ts';

const sample = (overrides: Partial<Sample> = {}): Sample => ({
  requestsPerSecond: 10_000,
  cpuMicrosPerRequest: 50,
  saturatedP50Ms: 5,
  saturatedP99Ms: 10,
  steadyP50Ms: 0.5,
  steadyP99Ms: 1,
  sentLateP50Ms: 0.1,
  foreignLoad: 0,
  ...overrides,
});

describe('the tables', () => {
  test('ratios are of medians, so that one disturbed round does not decide', () => {
    const samples = new Map<PeerName, Sample[]>([
      [
        'gateway',
        [
          sample({ requestsPerSecond: 12_000 }),
          sample({ requestsPerSecond: 1 }),
          sample({ requestsPerSecond: 12_000 }),
        ],
      ],
      ['nginx', [sample({ requestsPerSecond: 20_000 })]],
      ['caddy', [sample({ requestsPerSecond: 10_000 })]],
    ]);
    expect(judge(samples, 'gateway').map(({ got }) => got)).toEqual([
      '1.20 ×',
      '0.60 ×',
      '1.00 ×',
      '+ 0.000 ms',
    ]);
  });

  test.each([
    ['requests/s at least 1.2 × Caddy', { requestsPerSecond: 11_900 }],
    ['p99 saturated at most 3 × nginx', { saturatedP99Ms: 31 }],
    ['p50 at 1,500/s at most nginx + 0.3 ms', { steadyP50Ms: 0.81 }],
  ])('an aim that is missed is called missed: %s', (aim, ours) => {
    const samples = new Map<PeerName, Sample[]>([
      ['gateway', [sample({ requestsPerSecond: 12_000, ...ours })]],
      ['nginx', [sample()]],
      ['caddy', [sample()]],
    ]);
    expect(judge(samples, 'gateway').flatMap((verdict) => (verdict.met ? [] : [verdict.aim]))).toEqual([aim]);
  });

  test('a cell shows the median with the least and the most', () => {
    const rounds = [1_000, 3_000, 2_000].map((requestsPerSecond) => sample({ requestsPerSecond }));
    expect(peerTable(new Map([['nginx', rounds]]))).toContain('| 2,000 (1,000–3,000) |');
  });
});
