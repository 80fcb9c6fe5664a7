import { describe, expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import { dayAfter, memorySpendingStore } from '../../test/memory-spending-store.ts';
import { secretOffsets } from './privacy-budgets.ts';
import {
  type Asker,
  type Holder,
  type MemoryLimits,
  productionLimits,
  replicaBudgets,
} from './replica-budgets.ts';

const london = { latitude: 51.5, longitude: -0.12, radiusMiles: 5, gender: [], interests: [] };
const asker: Asker = { organisationId: 1, personId: 2, keyId: 3, mailbox: 'm', network: 'a' };
const morning = new Date('2026-11-20T08:00:00Z');
const stranger = {
  asker: { organisationId: 8, personId: 8, keyId: 8, mailbox: 'o', network: 'y' },
  target: { latitude: -40 },
};
/** As in production, but a hundredth of the size. */
const smallLimits = Object.fromEntries(
  Object.entries(productionLimits).map(([of, most]) => [of, most / 100]),
) as MemoryLimits;

const secretOffset = secretOffsets('a-secret-that-only-this-test-uses-0123456789');

function budgetOf(perDay: number | undefined, o: Partial<Parameters<typeof replicaBudgets>[0]> = {}) {
  const usedUp: Holder[] = [];
  const onUsedUp = (holder: Holder) => usedUp.push(holder);
  const budget = replicaBudgets({
    perDay,
    per30Days: undefined,
    minCohort: 10,
    secretOffset,
    onUsedUp,
    ...o,
  });
  let asked = 0;
  return {
    ...budget,
    usedUp,
    ask: (counted: number, o: { target?: object; asker?: Partial<Asker>; now?: Date } = {}) =>
      budget.answer({
        asker: { ...asker, ...o.asker },
        target: { ...london, ...o.target },
        counted,
        now: o.now ?? morning,
      }),
    /**
     * A target that reaches no members, different each time.
     * @returns how many of the answers were precise
     */
    spend: (times: number, by: Partial<Asker> = {}, now = morning) => {
      const answers = Array.from({ length: times }, () => {
        const target = { ...london, latitude: (asked += 1) / 100 };
        return budget.answer({ asker: { ...asker, ...by }, target, counted: 0, now });
      });
      return answers.filter(({ isCoarse }) => !isCoarse).length;
    },
  };
}

describe('an estimate is revealing', () => {
  const moved = { latitude: 51.501 };
  it.each([
    ['of nobody', 0, { latitude: 10 }, true],
    ['of 19 members', 19, { latitude: 10 }, true],
    ['of 20 members: not', 20, { latitude: 10 }, false],
    ['that differs by nobody from an earlier one that overlaps', 500, moved, true],
    ['that differs by 19 from it', 519, moved, true],
    ['that differs by 19 from it, to below', 481, moved, true],
    ['that differs by 20 from it: not', 520, moved, false],
    ['that asks for one gender of it', 490, { gender: ['Male'] }, true],
    ['that asks for an interest of it', 490, { interests: [4] }, true],
    ['that touches it from the other side', 500, { latitude: 51.64 }, true],
    ['that is of another place: not', 500, { latitude: 51.65 }, false],
    ['that is the same with another count, because somebody came', 501, {}, true],
    ['that is the same with the same count: not', 500, {}, false],
  ])('%s', (_, counted, target, isRevealing) => {
    const budget = budgetOf(200);
    budget.ask(500);
    expect(budget.ask(counted, { target })).toMatchObject({ isRevealing, isCoarse: false });
  });

  it('not where the genders have nobody in common', () => {
    const budget = budgetOf(200);
    budget.ask(500, { target: { gender: ['Male'] } });
    expect(budget.ask(501, { target: { gender: ['Female'] } })).toMatchObject({ isRevealing: false });
  });

  it('when no more answers can be kept to compare it with later ones', () => {
    const budget = budgetOf(200, { limits: smallLimits });
    for (let place = 0; place < smallLimits.answersPerHolder; place += 1)
      budget.ask(1_000 + 40 * place, { target: { radiusMiles: 5 + place } });
    expect(budget.ask(1_000_000)).toMatchObject({ isRevealing: true });
  });
});

describe('a privacy budget', () => {
  it('is a number for a day; when it is used up, every count is coarse until midnight', () => {
    const budget = budgetOf(5);
    budget.spend(5);
    const inTens = budget.ask(1_239);
    expect(inTens).toMatchObject({ isRevealing: false, isCoarse: false });
    expect([1_220, 1_230]).toContain(inTens.shown);
    expect(budget.usedUp).toEqual([]);
    budget.spend(1);
    expect(budget.usedUp).toEqual(['organisation', 'person', 'network']);
    const { shown, isCoarse } = budget.ask(1_239);
    expect(isCoarse).toBe(true);
    expect([1_100, 1_200]).toContain(shown);
    budget.spend(3);
    expect(budget.usedUp).toHaveLength(3);
    expect(budget.ask(1_239, { now: new Date('2026-11-21T00:00:00Z') })).toEqual(inTens);
    // A request that arrived before midnight is counted after one of the next day.
    expect(budget.ask(1_239, { now: morning })).toMatchObject({ isCoarse: false });
  });

  it.each<[string, Partial<Asker>, Holder]>([
    ['an organisation', { personId: 9, mailbox: 'n', network: 'z' }, 'organisation'],
    ['a person in several organisations', { organisationId: 9, personId: 9, network: 'z' }, 'person'],
    ['a network', { organisationId: 9, personId: 9, mailbox: 'n' }, 'network'],
  ])('is shared by everybody who asks as %s', (_, other, holder) => {
    const budget = budgetOf(4);
    budget.spend(4);
    expect(budget.ask(1_239, { asker: other })).toMatchObject({ isCoarse: false });
    budget.spend(1, other);
    expect(budget.usedUp).toEqual([holder]);
    expect(budget.ask(1_239, stranger)).toMatchObject({ isCoarse: false });
  });

  it('does not exist without the setting, and the cohort alone decides', () => {
    const budget = budgetOf(undefined, { minCohort: 1 });
    budget.spend(10_000);
    expect(budget.ask(1_239)).toEqual({ shown: 1_239, isRevealing: false, isCoarse: false });
  });
});

describe('an organisation that asks from very many networks', () => {
  it('leaves others their budgets and precise counts', () => {
    const budget = budgetOf(200, { limits: smallLimits });
    for (let network = 0; network < smallLimits.holders; network += 1)
      budget.ask(1_000, { asker: { network: `${network}` } });
    expect(budget.ask(1_239, stranger)).toMatchObject({ isCoarse: false });
  });

  it('leaves others the memory to compare their answers with earlier ones', () => {
    const budget = budgetOf(200, { limits: smallLimits });
    for (let network = 0; network < smallLimits.answers / smallLimits.answersPerHolder; network += 1)
      for (let place = 0; place < smallLimits.answersPerHolder; place += 1)
        budget.ask(1_000 + 40 * place, {
          target: { radiusMiles: 5 + place },
          asker: { network: `${network}` },
        });
    expect(budget.ask(1_239, stranger)).toMatchObject({ isRevealing: false });
  });

  it('still has one budget of its own', () => {
    const budget = budgetOf(20, { limits: smallLimits });
    for (let network = 0; network < 100; network += 1) budget.spend(1, { network: `${network}` });
    expect(budget.ask(1_239)).toMatchObject({ isCoarse: true });
    expect(budget.usedUp).toEqual(['organisation', 'person']);
  });
});

describe.each([
  { counts: 'a count within the budget', step: 10, counted: 1_255, lower: 1_240, higher: 1_250, share: 0.6 },
  { counts: 'a coarse count', step: 100, counted: 1_250, lower: 1_100, higher: 1_200, share: 0.5 },
])('$counts', ({ step, counted, lower, higher, share }) => {
  const isCoarse = step === 100;
  function budgetWithSuchCounts() {
    const budget = budgetOf(isCoarse ? 1 : 1_000_000);
    if (isCoarse) budget.spend(2);
    return budget;
  }

  it(`is a multiple of ${step}, at most the exact count and less than ${2 * step} below it, and the same when asked again`, () => {
    const budget = budgetWithSuchCounts();
    fc.assert(
      fc.property(fc.nat(100_000), fc.double({ min: -80, max: 80, noNaN: true }), (exact, latitude) => {
        const answer = budget.ask(exact, { target: { latitude } });
        expect(answer.isCoarse).toBe(isCoarse);
        expect(answer.shown % step).toBe(0);
        expect(answer.shown <= exact && exact < answer.shown + 2 * step).toBe(true);
        expect(budget.ask(exact, { target: { latitude } }).shown).toBe(answer.shown);
      }),
    );
  });

  it('has its steps elsewhere for every question, so that no caller knows where one is', () => {
    const budget = budgetWithSuchCounts();
    const shown = Array.from(
      { length: 400 },
      (_, n) => budget.ask(counted, { target: { latitude: n / 10 } }).shown,
    );
    expect(Math.abs(shown.filter((each) => each === higher).length / shown.length - share)).toBeLessThan(0.1);
    expect(new Set(shown)).toEqual(new Set([lower, higher]));
  });
});

describe('a count within the budget', () => {
  it('is lower for the narrower of two targets whose counts differ by twenty, wherever their steps are', () => {
    const budget = budgetOf(1_000_000);
    fc.assert(
      fc.property(fc.nat(100_000), fc.integer({ min: 1, max: 512 }), (counted, interest) => {
        const narrow = budget.ask(counted, { target: { interests: [interest] } }).shown;
        expect(budget.ask(counted + 20).shown).toBeGreaterThanOrEqual(narrow);
      }),
    );
  });

  it.each([
    ['both sides of the dateline', { longitude: 180 }, { longitude: -180 }],
    ['all genders by name and none', { gender: ['Non-binary', 'Male', 'Female'] }, { gender: [] }],
    ['interests in another order', { interests: [1, 20, 3] }, { interests: [20, 3, 1] }],
    ['a circle that is moved by some metres', { latitude: 51.50001 }, { latitude: 51.50004 }],
    ['a circle on either side of the equator', { latitude: 0.00001 }, { latitude: -0.00001 }],
  ])('is one answer for %s, which are one question', (_, one, other) => {
    const budget = budgetOf(1_000_000);
    // Of ten consecutive counts, one is just below a step, so another offset would change one of the results.
    for (let counted = 1_000; counted < 1_010; counted += 1)
      expect(budget.ask(counted, { target: other }).shown).toBe(budget.ask(counted, { target: one }).shown);
  });
});

describe('replicas', () => {
  it('count by themselves while the store is away, and share their spending once afterwards', async () => {
    const shared = memorySpendingStore();
    const here = budgetOf(10);
    shared.away = true;
    here.spend(6);
    await expect(here.share(shared)).rejects.toThrow('away');
    here.spend(5);
    expect(here.usedUp).toHaveLength(3);
    shared.away = false;
    await here.share(shared);
    await here.share(shared);
    expect(await shared.totals('2026-11-20', ['organisation 1'])).toEqual([
      { id: 'organisation 1', spent: 10 },
    ]);
  });
});

describe('a replica that could not read', () => {
  it.each([
    ['what others spent today', 'totals', '2026-11-20'],
    ['what was spent on the days before', 'before', '2026-11-19'],
  ] as const)('%s reads it at the next call without another question', async (_, failing, day) => {
    const store = memorySpendingStore();
    await store.add(day, [{ id: 'organisation 1', spent: 7 }]);
    const budget = budgetOf(10, { per30Days: 12 });
    budget.spend(1);
    const failingStore = { ...store, [failing]: () => Promise.reject(new Error('away')) };
    await expect(budget.share(failingStore)).rejects.toThrow('away');
    await budget.share(store);
    budget.spend(5);
    expect(budget.usedUp).toContain('organisation');
  });
});

describe('30 days', () => {
  const on = (days: number) => new Date(Date.parse(dayAfter('2026-11-20', days)) + 8 * 3_600_000);

  it('have their own budget for an organisation and a person; what was spent on a day is free again after 30 days', async () => {
    const store = memorySpendingStore();
    const budget = budgetOf(10, { per30Days: 25 });
    const spendOn = async (days: number, times: number) => {
      budget.spend(1, {}, on(days));
      await budget.share(store);
      budget.spend(times - 1, {}, on(days));
      await budget.share(store);
    };
    await spendOn(0, 10);
    await spendOn(1, 10);
    await spendOn(2, 5);
    expect(budget.usedUp).toEqual([]);
    budget.spend(1, {}, on(2));
    expect(budget.usedUp).toEqual(['organisation', 'person']);
    await spendOn(29, 2);
    expect(budget.usedUp.slice(2)).toEqual(['organisation', 'person']);
    // Ten were spent on the day that no longer counts and 16 on the others, so 9 of 25 are left.
    await spendOn(30, 9);
    expect(budget.usedUp.slice(4)).toEqual([]);
    budget.spend(1, {}, on(30));
    expect(budget.usedUp.slice(4)).toEqual(['organisation', 'person']);
  });

  it('allow a thirtieth of their budget until the days before are known, for an organisation and a person', async () => {
    const store = memorySpendingStore();
    for (const day of ['2026-11-18', '2026-11-19'])
      await store.add(day, [
        { id: 'organisation 1', spent: 100 },
        { id: 'person n', spent: 45 },
      ]);
    const budget = budgetOf(100, { per30Days: 150 });
    const [first, second] = [{ mailbox: null }, { organisationId: 2, mailbox: 'n', network: 'b' }];
    expect([budget.spend(40, first), budget.spend(40, second)]).toEqual([5, 5]);
    await budget.share(store);
    expect([budget.spend(1, first), budget.spend(60, second)]).toEqual([0, 55]);
    expect(budget.usedUp).toEqual(['organisation', 'person']);
  });

  it('are looked up once a day for each holder, a hundred at a time', async () => {
    const asked: number[] = [];
    const before = async (_: string, ids: readonly string[]) => {
      asked.push(ids.length);
      return [];
    };
    const budget = budgetOf(10, { per30Days: 25 });
    for (let organisationId = 1; organisationId <= 150; organisationId += 1)
      budget.ask(0, { asker: { organisationId, mailbox: null, network: null } });
    const store = { ...memorySpendingStore(), before };
    for (let round = 0; round < 4; round += 1) await budget.share(store);
    expect(asked).toEqual([100, 50]);
  });
});
