/** Runs attacks one after the other against the pricing function, in process, with the settings of the service. */

import { coarsePosition } from '@offer-ads/contracts/audience/coarse-position';
import type { Target } from '@offer-ads/contracts/audience/target';
import { DAY_MS } from '@offer-ads/contracts/values/durations';
import { createDeadline } from '@offer-ads/platform/calls/deadline';
import { callerContext } from '@offer-ads/testing/caller';
import { chance } from '@offer-ads/testing/random';
import { startGridBuild } from '../../src/audience/build-grid.ts';
import { openLiveGrid } from '../../src/audience/live-grid.ts';
import type { CountedMember } from '../../src/members/member-document.ts';
import { type PriceParts, priceOffer } from '../../src/price-offer.ts';
import { secretOffsets } from '../../src/privacy-budget/privacy-budgets.ts';
import { replicaBudgets } from '../../src/privacy-budget/replica-budgets.ts';
import { countByForce } from '../audience/random-world.ts';
import { memorySpendingStore } from '../memory-spending-store.ts';
import { flatMetres, moved } from './attacked-world.ts';
import { type Circle, locate, type Method, NoRequestsLeft } from './attacker.ts';

export type Defence = {
  readonly positions: 'exact' | 'rounded';
  readonly minCohort: number;
  readonly perDay?: number;
  readonly per30Days?: number;
};

/**
 * What an attacker may spend: requests in all, and days. They stop when counts get coarse, and go on the next day; without `days` they go on
 * at once.
 */
export type Patience = { readonly requests: number; readonly days?: number };

const period = { startAt: new Date('2026-12-01T00:00:00Z'), endAt: new Date('2026-12-02T00:00:00Z') };
const firstDay = new Date('2026-11-20T08:00:00Z');
const deadline = createDeadline(600_000);

function countsOf(members: readonly CountedMember[], { positions }: Defence): (target: Target) => number {
  if (positions === 'exact') return (target) => countByForce(members, target);
  const build = startGridBuild();
  for (const member of members) build.add({ ...member, ...coarsePosition(member) });
  return openLiveGrid(build.finish()).count;
}

/**
 * Opens the attacked service. Each attack has its own caller, who knows the member's gender, interests, and position within about six
 * kilometres.
 */
export function attackedService(members: readonly CountedMember[], defence: Defence) {
  const { minCohort, perDay, per30Days } = defence;
  const counts = countsOf(members, defence);
  const secretOffset = secretOffsets('a-secret-of-the-attacked-service-0123456789');
  const budget = replicaBudgets({ perDay, per30Days, minCohort, secretOffset, onUsedUp: () => {} });
  const store = memorySpendingStore();
  let now = firstDay;
  let isCoarse = false;
  const parts: PriceParts = {
    audience: { count: async (target) => counts(target) },
    sandbox: { count: async () => 0 },
    rates: { exchangeRate: () => null },
    privacyBudgets: {
      discloseCount: (question) => {
        const answer = budget.answer(question);
        isCoarse = answer.isCoarse;
        return answer.shown;
      },
    },
    minCohort,
  };

  return async (victim: CountedMember, method: Method, seed: number, { requests, days }: Patience) => {
    /** The counts that the attacker got, in order. */
    const shownCounts: number[] = [];
    let day = 1;
    let areDaysBeforeKnown = false;
    // The attack on the previous victim may have lasted days, so each attack begins on a new day.
    now = new Date(now.getTime() + DAY_MS);
    const organisationId = 1 + victim.memberId * 1_000 + seed;
    const own = `${organisationId}`;
    const caller = callerContext({ audience: 'pricing', organisationId, mailbox: own, network: own });
    const { gender, interests } = victim;
    const ask = async (circle: Circle, wanted: readonly number[]) => {
      if (shownCounts.length >= requests) throw new NoRequestsLeft();
      const target = { ...circle, gender: [gender], interests: wanted };
      for (;;) {
        const price = await priceOffer(parts, { target, ...period, caller, now, deadline });
        // The days before are known two seconds after the first estimate of a day.
        if (!areDaysBeforeKnown) await budget.share(store);
        areDaysBeforeKnown = true;
        if (!isCoarse || days === undefined) {
          shownCounts.push(price.matchingUsers);
          return price.matchingUsers;
        }
        if (day === days) throw new NoRequestsLeft();
        await budget.share(store);
        areDaysBeforeKnown = false;
        day += 1;
        now = new Date(now.getTime() + DAY_MS);
      }
    };
    const hint = chance(seed + victim.memberId);
    const place = moved(victim, hint.below(8_001) - 4_000, hint.below(8_001) - 4_000);
    const claim = await locate({ ask, interests, around: { ...place, metres: 10_000 } }, method, seed);
    /** Infinite if the attacker claims nothing. */
    const metresOff = claim === null ? Number.POSITIVE_INFINITY : flatMetres(victim, claim);
    return { metresOff, day, shownCounts };
  };
}

export function victimsOf(members: readonly CountedMember[], count: number, seed: number) {
  const random = chance(seed);
  return Array.from({ length: count }, () => random.oneOf(members));
}
