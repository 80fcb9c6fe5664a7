import { describe, expect, it } from '@jest/globals';
import { memberFacts } from '@offer-ads/contracts/events/community';
import { generateMembers } from './generated-members.ts';
import { sandboxMembers } from './sandbox.ts';

const generated = [...generateMembers({ count: 2_000, seed: 1 })];

describe('generated members', () => {
  it('are the same for the same seed, and of another seed others, with ids of their own', () => {
    expect([...generateMembers({ count: 100, seed: 1 })]).toEqual(generated.slice(0, 100));
    const others = [...generateMembers({ count: 2_000, seed: 2 })];
    expect(new Set([...generated, ...others].map((member) => member.memberId)).size).toBe(4_000);
    expect(others[0]?.latitude).not.toBe(generated[0]?.latitude);
  });

  it('are members as the contract says, also with a large seed', () => {
    const members = [...generated, ...generateMembers({ count: 10, seed: Number.MAX_SAFE_INTEGER })];
    expect(members.map((member) => memberFacts.parse(member))).toEqual(members);
  });

  it('that count for organisations without approval are the same each time, all active and none banned', () => {
    const members = [...sandboxMembers(1_000)];
    expect([...sandboxMembers(1_000)]).toEqual(members);
    expect(members.length).toBeGreaterThan(900);
    expect(members.every(({ active, banned }) => active && !banned)).toBe(true);
  });
});
