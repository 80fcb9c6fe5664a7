/**
 * How many revealing estimates an organisation, a person and a network may get in a day, and an organisation and a person in 30 days. An
 * estimate is revealing if it may tell something about a single member: it counts few members, or its count differs by few from an earlier
 * one (domain/revealing.ts; decisions 153, revealing estimates, 154, budget of revealing estimates, and 155, counting of budgets). When a
 * budget is used up, its holder gets coarse counts. Budgets are counted in memory, so that estimates wait for no store; replicas exchange
 * what was spent every two seconds.
 */
import type { CallerContext } from '@offer-ads/contracts/internal/caller-context';
import { memberGenders } from '@offer-ads/contracts/values/primitives';
import { audienceShown, audienceShownAtSecretSteps, COARSE_STEP } from '../domain/cohort.ts';
import { type Answered, differsByFew, FEW_MEMBERS } from '../domain/revealing.ts';
import type { Target } from '../domain/target.ts';

export type Asker = Pick<CallerContext, 'organisationId' | 'personId' | 'keyId' | 'mailbox' | 'network'>;

export type Question = {
  readonly asker: Asker;
  readonly target: Target;
  /** How many members the target reaches, before rounding. */
  readonly counted: number;
  readonly now: Date;
};

/** `told`: the count that the caller sees, rounded (domain/cohort.ts). */
export type Answer = { readonly told: number; readonly isRevealing: boolean; readonly isCoarse: boolean };

/** The holders of budgets. */
export const holders = ['organisation', 'person', 'network'] as const;
export type Holder = (typeof holders)[number];

export type Spent = { readonly id: string; readonly spent: number };

export type KnowledgeBudget = {
  readonly answer: (question: Question) => Answer;
  /** Stores what was spent here since the last call, and reads what was spent elsewhere. */
  readonly share: (store: SpentStore) => Promise<void>;
};

export type SpentStore = {
  readonly add: (day: string, spent: readonly Spent[]) => Promise<void>;
  readonly totals: (day: string, ids: readonly string[]) => Promise<readonly Spent[]>;
  /** What was spent in the 29 days before `day`; ids that spent nothing may be left out. */
  readonly before: (day: string, ids: readonly string[]) => Promise<readonly Spent[]>;
};

/** Limits of the data kept for a day. One organisation may take only a small part of each, so that others have room. */
export type Room = {
  /** Answers kept for comparison, per holder and in all: 80 MB. A question above the limit counts as revealing. */
  readonly answers: number;
  readonly answersInAll: number;
  /** Answers to one organisation, for all its holders together. */
  readonly answersOfOrganisation: number;
  /** Holders with a budget; further ones get coarse counts. There are normally fewer holders. */
  readonly holders: number;
  /** People and networks of one organisation. Further ones have no budget of their own; the organisation's budget applies. */
  readonly holdersOfOrganisation: number;
};
export const productionRoom: Room = {
  answers: 2_000,
  answersInAll: 300_000,
  answersOfOrganisation: 20_000,
  holders: 50_000,
  holdersOfOrganisation: 500,
};
/** The days of the longer budget. Until the spending of the 29 days before is known, an account may spend a thirtieth of that budget. */
const DAYS = 30;
/** Accounts that one call of `share` stores and reads. */
const SHARED_AT_ONCE = 1_000;
/** Fewer, because for each account the spending of 29 days is read. */
const LOOKED_BACK_AT_ONCE = 100;

/** The budget of one holder on one day. */
type Account = {
  /** Spent here and, as far as known, on other replicas. */
  spent: number;
  /** Spent here and not yet stored. */
  unshared: number;
  isUsedUp: boolean;
  /** Spent in the 29 days before; undefined until it is known. */
  before: number | undefined;
  /** The number of `answers`. */
  kept: number;
  /** For an organisation: its answers kept for any holder, and the number of its people and networks with an account. */
  keptOfOrganisation: number;
  peopleAndNetworks: number;
  /** The count of the latest answer to each question. */
  readonly counts: Map<string, number>;
  /** Keyed by count divided by `FEW_MEMBERS`, so that only close answers need to be compared. */
  readonly answers: Map<number, Answered[]>;
};

export function knowledgeBudget(o: {
  /** Undefined: there is no budget, and counts are rounded to multiples of `minCohort`. */
  readonly perDay: number | undefined;
  /** Of an organisation and a person; networks change hands. Undefined: days alone have a budget. */
  readonly per30Days: number | undefined;
  readonly minCohort: number;
  /** A secret number from 0 to below `step`, the same for the same question on every replica. */
  readonly secretOffset: (question: string, step: number) => number;
  readonly onUsedUp: (holder: Holder, asker: Asker) => void;
  readonly room?: Room;
}): KnowledgeBudget {
  const room = o.room ?? productionRoom;
  let day = '';
  let accounts = new Map<string, Account>();
  let toShare = new Set<string>();
  let kept = 0;

  function beginDay(now: Date): void {
    const today = now.toISOString().slice(0, 10);
    // A request that arrived before midnight may be counted after a later one.
    if (today <= day) return;
    day = today;
    accounts = new Map();
    toShare = new Set();
    kept = 0;
  }

  /** @returns undefined if there is no room */
  function openAccount(id: string): Account | undefined {
    if (accounts.size >= room.holders) return undefined;
    const account = {
      spent: 0,
      unshared: 0,
      isUsedUp: false,
      before: undefined,
      kept: 0,
      keptOfOrganisation: 0,
      peopleAndNetworks: 0,
      counts: new Map(),
      answers: new Map(),
    };
    accounts.set(id, account);
    return account;
  }

  /**
   * Compares the answer with the account's earlier ones and keeps it.
   * @returns whether it is revealing. The same question with the same count reveals nothing new; with another count it reveals that a member
   * came or left. An answer that cannot be kept counts as revealing
   */
  function compareAndKeep(account: Account, organisation: Account, key: string, answered: Answered): boolean {
    const earlier = account.counts.get(key);
    if (earlier === answered.counted) return false;
    const isNear = earlier !== undefined || answered.counted < FEW_MEMBERS || hasNear(account, answered);
    return !keep(account, organisation, key, answered) || isNear;
  }

  /** @returns false if there is no room */
  function keep(account: Account, organisation: Account, key: string, answered: Answered): boolean {
    if (account.kept >= room.answers || kept >= room.answersInAll) return false;
    if (organisation.keptOfOrganisation >= room.answersOfOrganisation) return false;
    kept += 1;
    account.kept += 1;
    organisation.keptOfOrganisation += 1;
    account.counts.set(key, answered.counted);
    const bucket = bucketOf(answered.counted);
    const there = account.answers.get(bucket);
    if (there === undefined) account.answers.set(bucket, [answered]);
    else there.push(answered);
    return true;
  }

  /** Spends one of each budget for which the answer is revealing. @returns whether it is revealing for any, and whether it must be coarse */
  function spend({ asker, target, counted, now }: Question, key: string, perDay: number) {
    beginDay(now);
    const budgets = holdersOf(asker);
    // A coarse answer spends nothing and is not kept, so that one caller cannot use up the room of all.
    if (budgets.some(([holder, id]) => isClosed(accounts.get(id), holder)))
      return { isRevealing: false, isCoarse: true };
    let isAnyRevealing = false;
    let isCoarse = false;
    const { latitude, longitude, radiusMiles, gender } = target;
    const answered = { target: { latitude, longitude, radiusMiles, gender }, counted };
    const organisationId = `organisation ${asker.organisationId}`;
    const organisation = accounts.get(organisationId) ?? openAccount(organisationId);
    if (organisation === undefined) return { isRevealing: false, isCoarse: true };
    for (const [holder, id] of budgets) {
      let account = accounts.get(id);
      if (account === undefined) {
        if (organisation.peopleAndNetworks >= room.holdersOfOrganisation) continue;
        organisation.peopleAndNetworks += 1;
        account = openAccount(id);
      }
      if (account === undefined) {
        isCoarse = true;
        continue;
      }
      toShare.add(id);
      if (!compareAndKeep(account, organisation, key, answered)) continue;
      isAnyRevealing = true;
      if (account.spent >= limitOf(account, holder, perDay)) {
        account.isUsedUp = true;
        isCoarse = true;
        o.onUsedUp(holder, asker);
        continue;
      }
      account.spent += 1;
      account.unshared += 1;
    }
    return { isRevealing: isAnyRevealing, isCoarse };
  }

  function limitOf({ before }: Account, holder: Holder, perDay: number): number {
    if (o.per30Days === undefined || holder === 'network') return perDay;
    return Math.min(perDay, o.per30Days - (before ?? 0));
  }

  /**
   * Whether the account gets only coarse counts: until midnight if it is used up. Also until the days before are known, if it has spent a day's
   * part of the longer budget: otherwise a burst at the start of each day would exceed that budget.
   */
  function isClosed(account: Account | undefined, holder: Holder): boolean {
    if (account === undefined) return false;
    if (account.isUsedUp || o.per30Days === undefined || holder === 'network') return account.isUsedUp;
    return account.before === undefined && account.spent >= Math.ceil(o.per30Days / DAYS);
  }

  /** All that was spent here is stored, and what was spent on the days before is known. */
  function isSettled({ unshared, before }: Account): boolean {
    return unshared === 0 && (before !== undefined || o.per30Days === undefined);
  }

  /** Reads what was spent on the days before; once a day for each account. */
  async function lookBack(store: SpentStore, ids: readonly string[]): Promise<void> {
    if (o.per30Days === undefined) return;
    const asked = { day, ids: ids.filter((id) => accounts.get(id)?.before === undefined) };
    const unknown = asked.ids.slice(0, LOOKED_BACK_AT_ONCE);
    if (unknown.length === 0) return;
    const found = new Map((await store.before(asked.day, unknown)).map(({ id, spent }) => [id, spent]));
    if (day !== asked.day) return;
    for (const id of unknown) {
      const account = accounts.get(id);
      if (account !== undefined) account.before = found.get(id) ?? 0;
    }
  }

  return {
    answer: (question) => {
      const { counted } = question;
      if (o.perDay === undefined)
        return { told: audienceShown(counted, o.minCohort), isRevealing: false, isCoarse: false };
      const key = keyOf(question.target);
      const spent = spend(question, key, o.perDay);
      const step = spent.isCoarse ? Math.max(COARSE_STEP, o.minCohort) : o.minCohort;
      return { told: audienceShownAtSecretSteps(counted, step, o.secretOffset(key, step)), ...spent };
    },
    share: async (store) => {
      const shared = { day, ids: [...toShare].slice(0, SHARED_AT_ONCE) };
      const spent = shared.ids.flatMap((id) => {
        const unshared = accounts.get(id)?.unshared ?? 0;
        return unshared === 0 ? [] : [{ id, spent: unshared }];
      });
      if (spent.length > 0) await store.add(shared.day, spent);
      if (day !== shared.day) return;
      for (const { id, spent: added } of spent) (accounts.get(id) as Account).unshared -= added;
      if (shared.ids.length === 0) return;
      const totals = await store.totals(shared.day, shared.ids);
      if (day !== shared.day) return;
      for (const { id, spent: total } of totals) {
        const account = accounts.get(id);
        if (account !== undefined) account.spent = Math.max(account.spent, total + account.unshared);
      }
      await lookBack(store, shared.ids);
      if (day !== shared.day) return;
      // Only now: if the store failed, the next call tries these again. Ids that are not settled go to the end of the line.
      for (const id of shared.ids) {
        toShare.delete(id);
        if (!isSettled(accounts.get(id) as Account)) toShare.add(id);
      }
    },
  };

  function hasNear(account: Account, answered: Answered): boolean {
    const bucket = bucketOf(answered.counted);
    return [bucket - 1, bucket, bucket + 1].some((near) =>
      account.answers.get(near)?.some((other) => differsByFew(other, answered)),
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
function keyOf({ latitude, longitude, radiusMiles, gender, interests }: Target): string {
  const east = longitude === -180 ? 180 : longitude;
  const genders = gender.length === memberGenders.length ? [] : gender.toSorted();
  const sorted = interests.toSorted((a, b) => a - b).join();
  return `${coordinate(latitude)} ${coordinate(east)} ${radiusMiles} ${genders.join()} ${sorted}`;
}

function coordinate(degrees: number): string {
  // Without `+ 0`, 0 and -0 would be two coordinates.
  return (Math.round(degrees * 1e4) / 1e4 + 0).toFixed(4);
}
