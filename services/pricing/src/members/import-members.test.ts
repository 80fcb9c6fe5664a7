import { describe, expect, it } from '@jest/globals';
import { importMembers } from './import-members.ts';
import type { MemberChange } from './members-store.ts';

const now = new Date('2026-11-20T18:00:00Z');
const line = {
  member_id: 1,
  latitude: 51.5,
  longitude: -0.12,
  gender: 'Non-binary',
  interests: [1, 2],
  active: true,
  banned: false,
};

async function importOf(lines: readonly string[]) {
  const batches: MemberChange[][] = [];
  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(lines.join('\n'));
  }
  const write = async (changes: readonly MemberChange[]) => {
    batches.push([...changes]);
  };
  return { outcome: await importMembers({ bytes: bytes(), now, write }), batches };
}

describe('an import of members', () => {
  it('takes the version of the line; without one, the line is newer than the stored member', async () => {
    const { outcome, batches } = await importOf([
      JSON.stringify(line),
      JSON.stringify({ ...line, version: 7 }),
    ]);
    expect(outcome).toEqual({ imported: 2 });
    const { member_id: memberId, ...facts } = line;
    expect(batches.flat()).toEqual([
      { facts: { memberId, ...facts }, version: { atLeast: now.getTime() } },
      { facts: { memberId, ...facts }, version: 7 },
    ]);
  });

  it('is stored in batches of 1,000 and counts every line', async () => {
    const lines = Array.from({ length: 2_345 }, (_, index) =>
      JSON.stringify({ ...line, member_id: index + 1 }),
    );
    const { outcome, batches } = await importOf(lines);
    expect(outcome).toEqual({ imported: 2_345 });
    expect(batches.map((batch) => batch.length)).toEqual([1_000, 1_000, 345]);
  });

  it.each([
    ['no JSON', '{"member_id": 1', 'is not a JSON object'],
    ['no object', '7', 'is not a JSON object'],
    [
      'a member without an id',
      JSON.stringify({ ...line, member_id: undefined }),
      'has a missing or invalid member_id',
    ],
    [
      'an id that is no integer',
      JSON.stringify({ ...line, member_id: 1.5 }),
      'has a missing or invalid member_id',
    ],
    [
      'a latitude beyond the pole',
      JSON.stringify({ ...line, latitude: 90.1 }),
      'has a missing or invalid latitude',
    ],
    ['a position of text', JSON.stringify({ ...line, longitude: '0' }), 'has a missing or invalid longitude'],
    ['an unknown gender', JSON.stringify({ ...line, gender: 'All' }), 'has a missing or invalid gender'],
    [
      'interests by name',
      JSON.stringify({ ...line, interests: ['x'] }),
      'has a missing or invalid interests',
    ],
    [
      'an interest named twice',
      JSON.stringify({ ...line, interests: [1, 2, 1] }),
      'has a missing or invalid interests',
    ],
    [
      'more than 512 interests',
      JSON.stringify({ ...line, interests: Array.from({ length: 513 }, (_, index) => index + 1) }),
      'has a missing or invalid interests',
    ],
    ['a version below zero', JSON.stringify({ ...line, version: -1 }), 'has a missing or invalid version'],
    [
      'several faults',
      JSON.stringify({ ...line, active: 1, banned: 0 }),
      'has a missing or invalid active, banned',
    ],
    ['a line of 20 kB', JSON.stringify({ ...line, more: 'x'.repeat(20_000) }), 'is longer than 16384 bytes'],
  ])('stops at %s, and names the line but no value of it', async (_, broken, problem) => {
    const { outcome, batches } = await importOf([JSON.stringify(line), '', broken, JSON.stringify(line)]);
    expect(outcome).toEqual({ imported: 1, refused: { line: 3, problem } });
    expect(batches.flat()).toHaveLength(1);
  });

  it('stores nothing for an empty file', async () => {
    expect((await importOf([])).outcome).toEqual({ imported: 0 });
  });
});
