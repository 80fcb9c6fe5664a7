/** Runs attacks one after the other against the pricing function, in process, with the settings of the service. */

import { coarsePosition } from '@offer-ads/contracts/audience/coarse-position';
import type { Target } from '@offer-ads/contracts/audience/target';
import type { CallerContext } from '@offer-ads/contracts/internal/caller-context';
import { createDeadline } from '@offer-ads/platform/calls/deadline';
import { callerContext } from '@offer-ads/testing/caller';
import { chance } from '@offer-ads/testing/random';
import { startGridBuild } from '../../src/audience/build-grid.ts';
import { openLiveGrid } from '../../src/audience/live-grid.ts';
import type { CountedMember } from '../../src/members/member-document.ts';
import { priceOffer } from '../../src/price-offer.ts';
import { secretOffsets } from '../../src/privacy-budget/privacy-budgets.ts';
import { replicaBudgets } from '../../src/privacy-budget/replica-budgets.ts';
import { countByForce } from '../audience/random-world.ts';
import { memorySpendingStore } from '../memory-spending-store.ts';
import { type AttackedWorld, moved } from './attacked-world.ts';
import { type Ask, type Claim, locate, type Method, NoRequestsLeft } from './attacker.ts';

export type Defence = {
  readonly positions: 'exact' | 'rounded';
  readonly minCohort: number;
  readonly revealingPerDay: number | undefined;
  readonly revealingPer30Days?: number;
};

export type Attack = {
  readonly victim: CountedMember;
  readonly claim: Claim | null;
  readonly requests: number;
  /** The day on which the attack ended, from 1. */
  readonly day: number;
  /** The counts that the attacker got, in order. */
  readonly shownCounts: readonly number[];
};

/**
 * What an attacker may spend: requests in all, and days. They stop when counts get coarse, and go on the next day; without `days` they go on
 * at once.
 */
export type Patience = { readonly requests: number; readonly days?: number };

const oneDay: Patience = { requests: 5_000 };
const DAY_MS = 86_400_000;
const startAt = new Date('2026-12-01T00:00:00Z');
const endAt = new Date('2026-12-02T00:00:00Z');
const firstDay = new Date('2026-11-20T08:00:00Z');
const deadline = createDeadline(600_000);
const secret = 'a-secret-of-the-attacked-service-0123456789';

function countsOf(members: readonly CountedMember[], { positions }: Defence): (target: Target) => number {
  if (positions === 'exact') return (target) => countByForce(members, target);
  const build = startGridBuild();
  for (const member of members) build.add({ ...member, ...coarsePosition(member) });
  return openLiveGrid(build.finish()).count;
}

/** Opens the attacked service; each attack has its own caller. */
export function attackedService({ members }: AttackedWorld, defence: Defence) {
  const counts = countsOf(members, defence);
  const budget = replicaBudgets({
    perDay: defence.revealingPerDay,
    per30Days: defence.revealingPer30Days,
    minCohort: defence.minCohort,
    secretOffset: secretOffsets(secret),
    onUsedUp: () => {},
  });
  const store = memorySpendingStore();
  let now = firstDay;
  let isCoarse = false;
  const discloseCount = (question: Parameters<typeof budget.answer>[0]) => {
    const answer = budget.answer(question);
    isCoarse = answer.isCoarse;
    return answer.shown;
  };
  const parts = {
    audience: { count: async (target: Target) => counts(target) },
    sandbox: { count: async () => 0 },
    rates: { exchangeRate: () => null },
    privacyBudgets: { discloseCount },
    minCohort: defence.minCohort,
  };
  const ask = async (target: Parameters<Ask>[0], caller: CallerContext) =>
    (await priceOffer(parts, { target, startAt, endAt, caller, now, deadline })).matchingUsers;

  return {
    /** The attacker knows the member's gender, interests, and position within about six kilometres. */
    attack: async (
      victim: CountedMember,
      method: Method,
      seed: number,
      { requests, days } = oneDay,
    ): Promise<Attack> => {
      const shownCounts: number[] = [];
      let day = 1;
      let areDaysBeforeKnown = false;
      const startNextDay = async () => {
        await budget.share(store);
        areDaysBeforeKnown = false;
        day += 1;
        now = new Date(now.getTime() + DAY_MS);
      };
      // The attack on the previous victim may have lasted days, so each attack begins on a new day.
      now = new Date(now.getTime() + DAY_MS);
      const organisationId = 1 + victim.memberId * 1_000 + seed;
      const caller = callerContext({
        audience: 'pricing',
        organisationId,
        personId: organisationId,
        mailbox: `${organisationId}`,
        network: `${organisationId}`,
      });
      const askCounting: Ask = async (target) => {
        if (shownCounts.length >= requests) throw new NoRequestsLeft();
        for (;;) {
          const answer = await ask(target, caller);
          // The days before are known two seconds after the first estimate of a day.
          if (!areDaysBeforeKnown) await budget.share(store);
          areDaysBeforeKnown = true;
          if (!isCoarse || days === undefined) {
            shownCounts.push(answer);
            return answer;
          }
          if (day === days) throw new NoRequestsLeft();
          await startNextDay();
        }
      };
      const hint = chance(seed + victim.memberId);
      const around = {
        ...moved(victim, hint.below(8_001) - 4_000, hint.below(8_001) - 4_000),
        metres: 10_000,
      };
      const claim = await locate(askCounting, { ...victim, around }, method, seed);
      return { victim, claim, requests: shownCounts.length, day, shownCounts };
    },
  };
}

export function victimsOf({ members }: AttackedWorld, count: number, seed: number): readonly CountedMember[] {
  const random = chance(seed);
  return Array.from({ length: count }, () => random.oneOf(members));
}
