import { describe, expect, it } from '@jest/globals';
import { memberFacts } from '@offer-ads/contracts/events/community';
import { INTERESTS } from './generated-members.ts';
import { sandboxMembers, sandboxTarget } from './sandbox.ts';

describe('made-up members', () => {
  it('are the same each time, all active and none banned', () => {
    const members = [...sandboxMembers(1_000)];
    expect([...sandboxMembers(1_000)]).toEqual(members);
    expect(members.length).toBeGreaterThan(900);
    expect(members.every((member) => memberFacts.parse(member).active && !member.banned)).toBe(true);
  });

  it('can be targeted by every interest of any catalogue, and by those of the demonstration as they are', () => {
    const target = { latitude: 0, longitude: 0, radiusMiles: 5, gender: [], interests: [] };
    const own = Array.from({ length: INTERESTS }, (_, index) => index + 1);
    expect(sandboxTarget({ ...target, interests: own }).interests).toEqual(own);
    expect(sandboxTarget(target)).toEqual(target);
    const others = [31, 60, 61, 999_999, Number.MAX_SAFE_INTEGER];
    expect(sandboxTarget({ ...target, interests: others }).interests.every((id) => own.includes(id))).toBe(
      true,
    );
  });
});
