/**
 * The privacy budgets as one replica counts them: how many revealing estimates an organisation, a person and a network may get in a day, and
 * an organisation and a person in 30 days. An estimate is revealing if it may tell something about a single member: it counts few members, or
 * its count differs by few from an earlier one (domain/revealing.ts; decisions 153, revealing estimates, 154, privacy budget, and 155,
 * counting of budgets). When a budget is used up, its holder gets coarse counts. Budgets are counted in memory, so that estimates wait for no
 * store; replicas exchange what was spent every two seconds.
 */
import type { Target } from '@offer-ads/contracts/audience/target';
import type { CallerContext } from '@offer-ads/contracts/internal/caller-context';
import { memberGenders } from '@offer-ads/contracts/values/member-gender';
import { audienceShown, audienceShownAtSecretSteps, COARSE_STEP } from '../domain/cohort.ts';
import { type Answered, differsByFew, FEW_MEMBERS } from '../domain/revealing.ts';

export type Asker = Pick<CallerContext, 'organisationId' | 'personId' | 'keyId' | 'mailbox' | 'network'>;

export type Question = {
  readonly asker: Asker;
  readonly target: Target;
  /** How many members the target reaches, before rounding. */
  readonly counted: number;
  readonly now: Date;
};

/** `shown`: the count that the caller sees, rounded (domain/cohort.ts). */
export type Answer = { readonly shown: number; readonly isRevealing: boolean; readonly isCoarse: boolean };

/** The holders of budgets. */
export const holders = ['organisation', 'person', 'network'] as const;
export type Holder = (typeof holders)[number];

/** What one holder has spent. `id` is the holder's kind and id, such as `organisation 7`. */
export type Spending = { readonly id: string; readonly spent: number };

export type ReplicaBudgets = {
  readonly answer: (question: Question) => Answer;
  /** Stores what was spent here since the last call, and reads what was spent elsewhere. */
  readonly share: (store: SpendingStore) => Promise<void>;
};

export type SpendingStore = {
  readonly add: (day: string, spent: readonly Spending[]) => Promise<void>;
  readonly totals: (day: string, ids: readonly string[]) => Promise<readonly Spending[]>;
  /** What was spent in the 29 days before `day`; ids that spent nothing may be left out. */
  readonly before: (day: string, ids: readonly string[]) => Promise<readonly Spending[]>;
};

/** Bounds of the memory for one day. One organisation may take only a small part of it, so that enough is left for others. */
export type MemoryLimits = {
  /** Answers kept for comparison: 300,000 take 80 MB. A question above one of these three limits counts as revealing. */
  readonly answers: number;
  readonly answersPerHolder: number;
  /** For all its holders together. */
  readonly answersPerOrganisation: number;
  /** Holders with a budget; further ones get coarse counts. There are normally fewer holders. */
  readonly holders: number;
  /** People and networks of one organisation. Further ones have no budget of their own; the organisation's budget applies. */
  readonly holdersPerOrganisation: number;
};
export const productionLimits: MemoryLimits = {
  answers: 300_000,
  answersPerHolder: 2_000,
  answersPerOrganisation: 20_000,
  holders: 50_000,
  holdersPerOrganisation: 500,
};
/** The days of the longer budget. Until the spending of the 29 days before is known, a holder may spend a thirtieth of that budget. */
const DAYS = 30;
/** Budgets that one call of `share` stores and reads. */
const SHARED_AT_ONCE = 1_000;
/** Fewer, because for each budget the spending of 29 days is read. */
const DAYS_BEFORE_READ_AT_ONCE = 100;

/** The budget of one holder on one day. */
type HolderBudget = {
  /** Spent here and, as far as known, on other replicas. */
  spentToday: number;
  /** Spent here and not yet stored. */
  notStored: number;
  isUsedUp: boolean;
  /** Spent in the 29 days before; undefined until it is known. */
  spentBefore: number | undefined;
  /** Answers kept for this holder. */
  answers: number;
  /** For an organisation: the answers kept for it and all its holders, and the number of its people and networks with a budget. */
  answersOfOrganisation: number;
  holdersOfOrganisation: number;
  /** The count of the latest answer to each question. */
  readonly countByQuestion: Map<string, number>;
  /** Keyed by count divided by `FEW_MEMBERS`, so that only answers with close counts need to be compared. */
  readonly answersByBucket: Map<number, Answered[]>;
};

export function replicaBudgets(o: {
  /** Undefined: there is no budget, and counts are rounded to multiples of `minCohort`. */
  readonly perDay: number | undefined;
  /** Of an organisation and a person; networks change hands. Undefined: days alone have a budget. */
  readonly per30Days: number | undefined;
  readonly minCohort: number;
  /** A secret number from 0 to below `step`, the same for the same question on every replica. */
  readonly secretOffset: (question: string, step: number) => number;
  readonly onUsedUp: (holder: Holder, asker: Asker) => void;
  readonly limits?: MemoryLimits;
}): ReplicaBudgets {
  const limits = o.limits ?? productionLimits;
  let day = '';
  let budgets = new Map<string, HolderBudget>();
  /** Ids of budgets that have something to store or to read. */
  let toShare = new Set<string>();
  let answersKept = 0;

  function beginDay(now: Date): void {
    const today = now.toISOString().slice(0, 10);
    // A request that arrived before midnight may be counted after a later one.
    if (today <= day) return;
    day = today;
    budgets = new Map();
    toShare = new Set();
    answersKept = 0;
  }

  /** @returns undefined if there are too many budgets */
  function openBudget(id: string): HolderBudget | undefined {
    if (budgets.size >= limits.holders) return undefined;
    const budget = {
      spentToday: 0,
      notStored: 0,
      isUsedUp: false,
      spentBefore: undefined,
      answers: 0,
      answersOfOrganisation: 0,
      holdersOfOrganisation: 0,
      countByQuestion: new Map(),
      answersByBucket: new Map(),
    };
    budgets.set(id, budget);
    return budget;
  }

  /**
   * Compares the answer with the holder's earlier ones and keeps it.
   * @returns whether it is revealing. The same question with the same count reveals nothing new; with another count it reveals that a member
   * came or left. An answer that cannot be kept counts as revealing
   */
  function compareAndKeep(
    budget: HolderBudget,
    organisation: HolderBudget,
    key: string,
    answered: Answered,
  ): boolean {
    const earlier = budget.countByQuestion.get(key);
    if (earlier === answered.counted) return false;
    const isClose =
      earlier !== undefined || answered.counted < FEW_MEMBERS || differsByFewFromAny(budget, answered);
    return !keep(budget, organisation, key, answered) || isClose;
  }

  /** @returns false if a limit is reached */
  function keep(budget: HolderBudget, organisation: HolderBudget, key: string, answered: Answered): boolean {
    if (budget.answers >= limits.answersPerHolder || answersKept >= limits.answers) return false;
    if (organisation.answersOfOrganisation >= limits.answersPerOrganisation) return false;
    answersKept += 1;
    budget.answers += 1;
    organisation.answersOfOrganisation += 1;
    budget.countByQuestion.set(key, answered.counted);
    const bucket = bucketOf(answered.counted);
    const others = budget.answersByBucket.get(bucket);
    if (others === undefined) budget.answersByBucket.set(bucket, [answered]);
    else others.push(answered);
    return true;
  }

  /** Spends one of each budget for which the answer is revealing. @returns whether it is revealing for any, and whether it must be coarse */
  function spend({ asker, target, counted, now }: Question, key: string, perDay: number) {
    beginDay(now);
    const askerHolders = holdersOf(asker);
    // A coarse answer spends nothing and is not kept, so that one caller cannot use up the memory for all.
    if (askerHolders.some(([holder, id]) => getsCoarseCounts(budgets.get(id), holder)))
      return { isRevealing: false, isCoarse: true };
    let isAnyRevealing = false;
    let isCoarse = false;
    const { latitude, longitude, radiusMiles, gender } = target;
    const answered = { target: { latitude, longitude, radiusMiles, gender }, counted };
    const organisationId = `organisation ${asker.organisationId}`;
    const organisation = budgets.get(organisationId) ?? openBudget(organisationId);
    if (organisation === undefined) return { isRevealing: false, isCoarse: true };
    for (const [holder, id] of askerHolders) {
      let budget = budgets.get(id);
      if (budget === undefined) {
        if (organisation.holdersOfOrganisation >= limits.holdersPerOrganisation) continue;
        organisation.holdersOfOrganisation += 1;
        budget = openBudget(id);
      }
      if (budget === undefined) {
        isCoarse = true;
        continue;
      }
      toShare.add(id);
      if (!compareAndKeep(budget, organisation, key, answered)) continue;
      isAnyRevealing = true;
      if (budget.spentToday >= limitOf(budget, holder, perDay)) {
        budget.isUsedUp = true;
        isCoarse = true;
        o.onUsedUp(holder, asker);
        continue;
      }
      budget.spentToday += 1;
      budget.notStored += 1;
    }
    return { isRevealing: isAnyRevealing, isCoarse };
  }

  function limitOf({ spentBefore }: HolderBudget, holder: Holder, perDay: number): number {
    if (o.per30Days === undefined || holder === 'network') return perDay;
    return Math.min(perDay, o.per30Days - (spentBefore ?? 0));
  }

  /**
   * Whether the holder gets only coarse counts: until midnight if the budget is used up. Also until the days before are known, if a day's part
   * of the longer budget is spent: otherwise a burst at the start of each day would exceed that budget.
   */
  function getsCoarseCounts(budget: HolderBudget | undefined, holder: Holder): boolean {
    if (budget === undefined) return false;
    if (budget.isUsedUp || o.per30Days === undefined || holder === 'network') return budget.isUsedUp;
    return budget.spentBefore === undefined && budget.spentToday >= Math.ceil(o.per30Days / DAYS);
  }

  /** All that was spent here is stored, and what was spent on the days before is known. */
  function isShared({ notStored, spentBefore }: HolderBudget): boolean {
    return notStored === 0 && (spentBefore !== undefined || o.per30Days === undefined);
  }

  /** Reads what was spent on the days before; once a day for each budget. */
  async function readDaysBefore(store: SpendingStore, ids: readonly string[]): Promise<void> {
    if (o.per30Days === undefined) return;
    const asked = { day, ids: ids.filter((id) => budgets.get(id)?.spentBefore === undefined) };
    const unknown = asked.ids.slice(0, DAYS_BEFORE_READ_AT_ONCE);
    if (unknown.length === 0) return;
    const found = new Map((await store.before(asked.day, unknown)).map(({ id, spent }) => [id, spent]));
    if (day !== asked.day) return;
    for (const id of unknown) {
      const budget = budgets.get(id);
      if (budget !== undefined) budget.spentBefore = found.get(id) ?? 0;
    }
  }

  return {
    answer: (question) => {
      const { counted } = question;
      if (o.perDay === undefined)
        return { shown: audienceShown(counted, o.minCohort), isRevealing: false, isCoarse: false };
      const key = questionKey(question.target);
      const spent = spend(question, key, o.perDay);
      const step = spent.isCoarse ? Math.max(COARSE_STEP, o.minCohort) : o.minCohort;
      return { shown: audienceShownAtSecretSteps(counted, step, o.secretOffset(key, step)), ...spent };
    },
    share: async (store) => {
      const shared = { day, ids: [...toShare].slice(0, SHARED_AT_ONCE) };
      const spent = shared.ids.flatMap((id) => {
        const notStored = budgets.get(id)?.notStored ?? 0;
        return notStored === 0 ? [] : [{ id, spent: notStored }];
      });
      if (spent.length > 0) await store.add(shared.day, spent);
      if (day !== shared.day) return;
      for (const { id, spent: added } of spent) (budgets.get(id) as HolderBudget).notStored -= added;
      if (shared.ids.length === 0) return;
      const totals = await store.totals(shared.day, shared.ids);
      if (day !== shared.day) return;
      for (const { id, spent: total } of totals) {
        const budget = budgets.get(id);
        if (budget !== undefined) budget.spentToday = Math.max(budget.spentToday, total + budget.notStored);
      }
      await readDaysBefore(store, shared.ids);
      if (day !== shared.day) return;
      // Only now: if the store failed, the next call tries these again. Ids that are not fully shared go to the end of the line.
      for (const id of shared.ids) {
        toShare.delete(id);
        if (!isShared(budgets.get(id) as HolderBudget)) toShare.add(id);
      }
    },
  };

  function differsByFewFromAny(budget: HolderBudget, answered: Answered): boolean {
    const bucket = bucketOf(answered.counted);
    return [bucket - 1, bucket, bucket + 1].some((near) =>
      budget.answersByBucket.get(near)?.some((other) => differsByFew(other, answered)),
    );
  }
}

function bucketOf(counted: number): number {
  return Math.floor(counted / FEW_MEMBERS);
}

function holdersOf({ organisationId, mailbox, network }: Asker): readonly (readonly [Holder, string])[] {
  const held: (readonly [Holder, string])[] = [['organisation', `organisation ${organisationId}`]];
  // A person has a different id in each organisation, but the same mailbox.
  if (mailbox !== null) held.push(['person', `person ${mailbox}`]);
  if (network !== null) held.push(['network', `network ${network}`]);
  return held;
}

/**
 * The same key for every form of the same question, so that no question has several offsets: a circle moved by less than eleven metres,
 * both sides of the dateline, and a list of all genders.
 */
function questionKey({ latitude, longitude, radiusMiles, gender, interests }: Target): string {
  const east = longitude === -180 ? 180 : longitude;
  const genders = gender.length === memberGenders.length ? [] : gender.toSorted();
  const sorted = interests.toSorted((a, b) => a - b).join();
  return `${coordinate(latitude)} ${coordinate(east)} ${radiusMiles} ${genders.join()} ${sorted}`;
}

function coordinate(degrees: number): string {
  // Without `+ 0`, 0 and -0 would be two coordinates.
  return (Math.round(degrees * 1e4) / 1e4 + 0).toFixed(4);
}
