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

  const invalid = (field: string) => `has a missing or invalid ${field}`;
  it.each<[string, string | object, string]>([
    ['no JSON', '{"member_id": 1', 'is not a JSON object'],
    ['no object', '7', 'is not a JSON object'],
    ['a member without an id', { member_id: undefined }, invalid('member_id')],
    ['an id that is no integer', { member_id: 1.5 }, invalid('member_id')],
    ['a latitude beyond the pole', { latitude: 90.1 }, invalid('latitude')],
    ['a position of text', { longitude: '0' }, invalid('longitude')],
    ['an unknown gender', { gender: 'All' }, invalid('gender')],
    ['interests by name', { interests: ['x'] }, invalid('interests')],
    ['an interest named twice', { interests: [1, 2, 1] }, invalid('interests')],
    [
      'more than 512 interests',
      { interests: Array.from({ length: 513 }, (_, index) => index + 1) },
      invalid('interests'),
    ],
    ['a version below zero', { version: -1 }, invalid('version')],
    ['several faults', { active: 1, banned: 0 }, invalid('active, banned')],
    ['a line of 20 kB', { more: 'x'.repeat(20_000) }, 'is longer than 16384 bytes'],
  ])('stops at %s, and names the line but no value of it', async (_, fault, problem) => {
    const broken = typeof fault === 'string' ? fault : JSON.stringify({ ...line, ...fault });
    const { outcome, batches } = await importOf([JSON.stringify(line), '', broken, JSON.stringify(line)]);
    expect(outcome).toEqual({ imported: 1, refused: { line: 3, problem } });
    expect(batches.flat()).toHaveLength(1);
  });
});
