import { describe, expect, it } from '@jest/globals';
import { runs } from '@offer-ads/testing/profile';
import { countByForce, createWorld, randomMember, randomTarget } from '../../test/audience/random-world.ts';
import { createAudienceIndex, type IndexedMember } from '../audience-index/audience-index.ts';
import { completeIndex } from './complete-index.ts';

const anybody: IndexedMember = {
  memberId: 1,
  latitude: 51.5,
  longitude: -0.12,
  gender: 'Female',
  interests: [1],
};
const aroundAnybody = { latitude: 51.5, longitude: -0.12, radiusMiles: 5, gender: [], interests: [] };
/** Uses up all columns of a new index. */
const collector = (memberId: number) => ({
  ...anybody,
  memberId,
  interests: Array.from({ length: 512 }, (_, at) => at + 1),
});
const latecomer = (memberId: number, interest = 600) => ({ ...anybody, memberId, interests: [interest] });

describe('a complete index', () => {
  it.each([
    ['more interests than columns', {}, 700],
    ['less memory than members', { maxBytes: 1.5 * 1024 * 1024 }, 30],
  ])('agrees with brute force, whatever changes, with %s', (_, options, interests) => {
    const world = createWorld(11, interests);
    const index = completeIndex(createAudienceIndex(options));
    const members = new Map<number, IndexedMember>();
    const count = runs(12_000, 40_000);
    for (let id = 1; id <= count; id += 1) {
      const member = randomMember(world, id);
      members.set(id, member);
      index.put(member);
    }
    expect(index.surplus()).toBeGreaterThan(100);
    for (let round = 0; round < runs(300, 3_000); round += 1) {
      const id = 1 + ((round * 7_919) % count);
      if (round % 3 === 0) {
        members.delete(id);
        index.remove(id);
      } else {
        const member = randomMember(world, id);
        members.set(id, member);
        index.put(member);
      }
      const target = randomTarget(world, members.get(1 + (round % count)));
      expect(index.count(target)).toBe(countByForce(members.values(), target));
    }
    expect(index.size().members).toBe(members.size);
    expect(new Set(index.memberIds())).toEqual(new Set(members.keys()));
  });

  it('returns a member beside the index as it was put, and takes it in when there is room', () => {
    const index = completeIndex(createAudienceIndex());
    index.put(collector(1));
    index.put(latecomer(2));
    expect(index.surplus()).toBe(1);
    expect(index.get(2)).toEqual(latecomer(2));
    index.put({ ...collector(1), interests: [1] });
    index.put(latecomer(2));
    expect(index.surplus()).toBe(0);
    expect(index.count({ ...aroundAnybody, interests: [600] })).toBe(1);
  });

  it('refuses to count when too many members do not fit, also after some have gone', () => {
    const index = completeIndex(createAudienceIndex(), [collector(1), latecomer(2), latecomer(3)], 2);
    expect(index.count(aroundAnybody)).toBe(3);
    index.put(latecomer(3, 601));
    expect(index.isOverfull()).toBe(false);
    index.put(latecomer(4));
    expect(index.isOverfull()).toBe(true);
    index.remove(2);
    expect(() => index.count(aroundAnybody)).toThrow('the audience index is full');
  });
});
