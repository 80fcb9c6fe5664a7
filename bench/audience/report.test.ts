import { describe, expect, test } from '@jest/globals';
import { changeNames, peerNames } from './members/names.ts';
import { buildReport, changesReport, countsReport } from './report.ts';

const members = 10_000_000;
const counted = [0, 5_000, 70_000];
/** One round: the grid takes 0.1 ms for each query. */
const timesOf = {
  'the grid': 0.1,
  PostGIS: 30,
  'MongoDB 2dsphere': 90,
};

function countsOf(alone: readonly number[], gridBytes = 15, postgis = counted.map(() => timesOf.PostGIS)) {
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
      bytes: gridBytes * members,
    })),
  };
}

function counts(...measured: Parameters<typeof countsOf>) {
  return countsReport([{ members, measured: countsOf(...measured) }]);
}

describe('counts', () => {
  test('are told with their ratio to the grid, and an aim that is missed is marked', () => {
    const report = counts([0.02, 0.02, 0.1]);
    expect(report).toContain('| PostGIS | 30.000 | 30.000 | 90.0 | 300.0 × | 300.0 × | 15.0 | kept |');
    expect(report).toContain('300 × PostGIS at the median, at least 120 ✓');
    expect(report).toContain('20.0 µs at the median, alone, at most 32 ✓');
    expect(report).toContain('100.0 µs at p99, alone, at most 157 ✓');
    expect(report).toContain('15.0 bytes a member, at most 28 ✓');
  });

  test('of the queries that are light for PostGIS are told by themselves', () => {
    const twoRounds = [0.09, 0.01, 0.02, 0.09, 0.03, 0.02];
    expect(counts(twoRounds, 15, [90, 10, 14])).toContain(
      'The 2 queries that PostGIS answers soonest take it 12.0 ms at the median; the grid alone takes 20.0 µs for them, 30.0 µs at p99.',
    );
  });

  test('alone have a limit at the median and another at p99', () => {
    const report = counts([0.04, 0.04, 0.3], 31);
    expect(report).toContain('40.0 µs at the median, alone, at most 32 ✗');
    expect(report).toContain('300.0 µs at p99, alone, at most 157 ✗');
    expect(report).toContain('31.0 bytes a member, at most 28 ✗');
  });
});

test('changes are told with what the event loop waited while the next grid was built', () => {
  const took = new Map(
    changeNames.map((name) => [name, name === 'other interests' ? [0.002, 0.002, 0.008] : [0.001]]),
  );
  const whileBuilding = { seconds: 4, changes: 4_000, delayMs: { p99: 2, most: 6 } };
  const measured = { took, counts: [0.03], changesBeside: 20_000, whileBuilding, foreignLoad: 0 };
  const report = changesReport([{ members, measured }]);
  expect(report).toContain('| other interests | 4.00 | 2.00 | 8.00 |');
  expect(report).toContain('| a count, with 20,000 changes beside the grid | 30.00 | 30.00 | 30.00 |');
  expect(report).toContain('6.0 ms late at most, at most 5 ✗');
});

test('a build is told with its time and memory, and compared with 10 and 60 seconds', () => {
  const measured = {
    fromColumnsSeconds: 6,
    fromOlderSeconds: 3,
    fromMongoSeconds: 61,
    bytesPerMember: 16.3,
    residentBytes: { now: 2 ** 29, most: 2 ** 30 },
    foreignLoad: 0.5,
  };
  const report = buildReport([{ members, measured }]);
  expect(report).toContain('6.0 s out of columns, at most 10 ✓; 61.0 s from MongoDB, at most 60 ✗');
  expect(report).toContain('| at most until then, MiB | 1,024 |');
  expect(report).toContain('Other processes took 50 % of the cores');
});
