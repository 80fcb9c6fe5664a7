import { describe, expect, test } from '@jest/globals';
import { countingShare } from './counting-share.ts';
import { changeNames, peerNames, wayNames } from './members/names.ts';
import { buildReport, changesReport, countsReport, endpointReport, smallCountsReport } from './report.ts';

const members = 10_000_000;
const counted = [0, 5_000, 70_000];
/** One round: the index takes 0.1 ms for each query. */
const timesOf = {
  'the index': 0.1,
  PostGIS: 30,
  'MongoDB 2dsphere': 90,
};

function countsOf(alone: readonly number[], indexBytes = 15, postgis = counted.map(() => timesOf.PostGIS)) {
  return {
    counted,
    alone,
    tooMany: 0,
    queriesWithMore: 0,
    rounds: 1,
    foreignLoad: 0.02,
    disturbed: new Map(
      peerNames.map((name) => [name, name === 'PostGIS' ? postgis : counted.map(() => timesOf[name])]),
    ),
    peers: peerNames.map((name) => ({
      name,
      loadSeconds: name === 'PostGIS' ? undefined : 7,
      bytes: indexBytes * members,
    })),
  };
}

function counts(...measured: Parameters<typeof countsOf>) {
  return countsReport([{ members, measured: countsOf(...measured) }]);
}

describe('counts', () => {
  test('are told with their ratio to the index, and an aim that is missed is marked', () => {
    const report = counts([0.02, 0.02, 0.1]);
    expect(report).toContain('| PostGIS | 30.000 | 30.000 | 90.0 | 300.0 × | 300.0 × | 15.0 | kept |');
    expect(report).toContain('300 × PostGIS at the median, at least 150 ✓');
    expect(report).toContain('300 × PostGIS in total, at least 250 ✓');
    expect(report).toContain('20.0 µs at the median, alone, at most 25 ✓');
    expect(report).toContain('100.0 µs at p99, alone, at most 200 ✓');
    expect(report).toContain('15.0 bytes a member, at most 30 ✓');
  });

  test('of the queries that are light for PostGIS are told by themselves', () => {
    const twoRounds = [0.09, 0.01, 0.02, 0.09, 0.03, 0.02];
    expect(counts(twoRounds, 15, [90, 10, 14])).toContain(
      'The 2 queries that PostGIS answers soonest take it 12.0 ms at the median; the index alone takes 20.0 µs for them, 30.0 µs at p99.',
    );
  });

  test('alone have a limit at the median and another at p99', () => {
    const report = counts([0.03, 0.03, 0.3], 31);
    expect(report).toContain('30.0 µs at the median, alone, at most 25 ✗');
    expect(report).toContain('300.0 µs at p99, alone, at most 200 ✗');
    expect(report).toContain('31.0 bytes a member, at most 30 ✗');
  });
});

test('counts of small audiences have aims of their own, at a million members', () => {
  const report = (size: number) =>
    smallCountsReport([{ members: size, measured: countsOf([0.02], 15, [8.9, 8.9, 40]) }]);
  expect(report(1_000_000)).toContain('| PostGIS | 8.900 | 40.000 | 57.8 | 89.0 × | 192.7 × |');
  expect(report(1_000_000)).toContain('89 × PostGIS at the median, at least 90 ✗');
  expect(report(1_000_000)).toContain('193 × PostGIS in total, at least 180 ✓');
  expect(report(10_000_000)).not.toContain('Aims');
});

test('the aim for changes is compared with the slowest kind on average', () => {
  const took = (slow: number) =>
    new Map(changeNames.map((name) => [name, name === 'a ban' ? [slow, slow, slow * 4] : [0.001]]));
  const report = (slow: number) =>
    changesReport([
      {
        members,
        measured: { took: took(slow), bytesPerMember: { before: 15, after: 16 }, foreignLoad: 0 },
      },
    ]);
  expect(report(0.002)).toContain('| a ban | 4.00 | 2.00 | 8.00 |');
  expect(report(0.002)).toContain('4.0 µs for the slowest kind on average, at most 5 ✓');
  expect(report(0.003)).toContain('6.0 µs for the slowest kind on average, at most 5 ✗');
});

test('a restart is compared with 15 seconds', () => {
  const report = buildReport([
    {
      members,
      measured: {
        fromColumnsSeconds: 6,
        saveSeconds: 1,
        loadSeconds: 2,
        fromMongoSeconds: 100,
        fromSnapshotSeconds: 16,
        snapshotBytes: 2 ** 28,
        members,
        residentBytes: 2 ** 29,
        foreignLoad: 0.5,
      },
    },
  ]);
  expect(report).toContain('16.0 s from the snapshot, at most 15 ✗');
  expect(report).toContain('| the snapshot, MiB | 256 |');
  expect(report).toContain('Other processes took 50 % of the cores');
});

test('an endpoint is told by medians over rounds', () => {
  const samples = new Map(
    wayNames.map((way) => {
      const sample = (perSecond: number) => ({ perSecond, p50Ms: 1, p99Ms: 2, cpuMicros: 200 });
      // One disturbed round does not decide the result.
      return [way, [sample(3_600), sample(1), sample(3_600)]];
    }),
  );
  const measured = { samples, countingShare: 0.2, connections: 16, foreignLoad: 0 };
  const report = endpointReport([{ members, measured }]);
  expect(report).toContain('| pricing alone | 3,600 (1–3,600) |');
  expect(report).toContain(
    "20 % of pricing's processor time, 40 µs of an estimate, and 20 % of that of gateway",
  );
});

test("only what is counted while there is load is counting's share", () => {
  const frame = (functionName: string, url = '') => ({ functionName, url });
  const profile = {
    startTime: 1_000,
    nodes: [
      { id: 1, callFrame: frame('(idle)') },
      { id: 2, callFrame: frame('count', 'wasm://wasm/0123') },
      { id: 3, callFrame: frame('count', 'file:///app/services/pricing/src/audience-index/query.ts') },
      { id: 4, callFrame: frame('handle', 'node:http') },
    ],
    // The first is how a snapshot was read before anybody asked.
    samples: [3, 2, 1, 3, 4, 4],
    timeDeltas: [100, 100, 500, 100, 100, 100],
  };
  expect(countingShare([profile], { fromUs: 1_150, toUs: 2_000 })).toBe(0.5);
});
