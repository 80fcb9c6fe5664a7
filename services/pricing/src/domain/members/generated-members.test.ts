import { describe, expect, it } from '@jest/globals';
import { memberFacts } from '@offer-ads/contracts/events/community';
import { generateMembers } from './generated-members.ts';

const generated = [...generateMembers({ count: 2_000, seed: 1 })];

function share(matches: (member: (typeof generated)[number]) => boolean): number {
  return generated.filter(matches).length / generated.length;
}

describe('generated members', () => {
  it('are the same for the same seed, and the first of more', () => {
    expect([...generateMembers({ count: 2_000, seed: 1 })]).toEqual(generated);
    expect([...generateMembers({ count: 100, seed: 1 })]).toEqual(generated.slice(0, 100));
  });

  it('of another seed are others, with ids of their own', () => {
    const others = [...generateMembers({ count: 2_000, seed: 2 })];
    expect(new Set([...generated, ...others].map((member) => member.memberId)).size).toBe(4_000);
    expect(others[0]?.latitude).not.toBe(generated[0]?.latitude);
  });

  it('are members as the contract says, also with a large seed', () => {
    const members = [...generated, ...generateMembers({ count: 10, seed: Number.MAX_SAFE_INTEGER })];
    expect(members.map((member) => memberFacts.parse(member))).toEqual(members);
    expect(members.every(({ interests }) => new Set(interests).size === interests.length)).toBe(true);
  });

  it('are plausible: both large genders, nearly all active, few banned, many near London', () => {
    expect(share((member) => member.gender === 'Male')).toBeCloseTo(0.48, 1);
    expect(share((member) => member.gender === 'Non-binary')).toBeCloseTo(0.05, 1);
    expect(share((member) => member.active)).toBeCloseTo(0.95, 1);
    expect(share((member) => member.banned)).toBeLessThan(0.03);
    const nearLondon = share(
      ({ latitude, longitude }) => Math.abs(latitude - 51.5) < 0.3 && Math.abs(longitude + 0.13) < 0.5,
    );
    expect(nearLondon).toBeGreaterThan(0.05);
    expect(share((member) => member.interests.includes(1))).toBeGreaterThan(
      share((member) => member.interests.includes(30)),
    );
  });
});
