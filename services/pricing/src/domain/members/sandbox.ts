/** The generated members that organisations without approval count (decision 148, approval of organisations). */
import type { Target } from '@offer-ads/contracts/audience/target';
import type { MemberFacts } from '@offer-ads/contracts/events/community';
import { generateMembers, INTERESTS } from './generated-members.ts';

/** The same members on every replica and after every start, so that the same estimate gives the same numbers. */
const SEED = 20_261_122;

/** Generated members who count: active and not banned, like real members. */
export function* sandboxMembers(count: number): Generator<MemberFacts> {
  for (const member of generateMembers({ count, seed: SEED })) {
    if (member.active && !member.banned) yield member;
  }
}

/** Generated members have the interests 1 to 30. Each interest of the catalogue is mapped to one of them by its id. */
export function sandboxTarget(target: Target): Target {
  return { ...target, interests: target.interests.map((id) => 1 + ((id - 1) % INTERESTS)) };
}
