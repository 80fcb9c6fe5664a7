/** Many creations at once, through two replicas: one key, different keys with little room, and the balance. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { runs } from '@offer-ads/testing/profile';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { Offers } from '../../src/service.ts';
import { create, createdId, createPatiently, live } from '../forms.ts';
import { type Answer, offersUnderTest } from '../offers-under-test.ts';
import { created } from './creating.ts';

const under = offersUnderTest();
const replica = forAllTests(() => under.startReplica());

const MANY = 64;
/** The first creations are disturbed by a sweep at every step. The last ones are not, or none would be finished. */
const SWEEPS = 20;

function replicaFor(nth: number): Offers {
  return nth % 2 === 0 ? under.offers : replica;
}

function createMany(count: number, ...[parts, o]: [parts?: object, o?: object]): Promise<Answer[]> {
  return Promise.all(
    Array.from({ length: count }, (_, nth) =>
      createPatiently(under, { ...parts }, { ...o, to: replicaFor(nth) }),
    ),
  );
}

function countOf(answers: readonly Answer[], status: number, code?: string): number {
  return answers.filter(
    ({ status: given, body }) =>
      given === status && (code === undefined || (body as { return_code: string }).return_code === code),
  ).length;
}

describe('one key', () => {
  it('64 times at once gives one offer, one charge, and the same reply to all that are not 409', async () => {
    for (let round = 0; round < runs(1, 10); round += 1) {
      under.otherServices.billing.sales.clear();
      const key = randomUUID();
      const answers = await createMany(MANY, {}, { key });
      expect(countOf(answers, 200, 'S1') + countOf(answers, 409)).toBe(MANY);
      // On a busy machine the first one may be 503, and all others 409.
      const last = await eventually(async () => {
        const answer = await create(under, {}, { key });
        expect(answer).toMatchObject(created);
        return answer;
      });
      for (const { status, body } of answers) if (status === 200) expect(body).toEqual(last.body);
      expect(under.otherServices.billing.charges()).toBe(1);
    }
    expect(await under.count('offers')).toBe(runs(1, 10));
  });
});

describe('a replica whose clock is five minutes ahead, so that it takes over every creation as abandoned', () => {
  it('leaves one offer and one charge for each key', async () => {
    const fiveMinutesAhead = { now: () => new Date(under.clock.now().getTime() + 300_000) };
    const fast = await under.startReplica(fiveMinutesAhead);
    const { billing } = under.otherServices;
    let sweeps = 0;
    const sweep = async () => {
      sweeps += 1;
      if (sweeps <= SWEEPS) await fast.sweeper.recover();
    };
    Object.assign(billing, { onSale: sweep, onSold: sweep });
    const ids = await Promise.all(
      Array.from({ length: runs(12, 100) }, (_, nth) =>
        createdId(under, {}, { to: nth % 2 === 0 ? fast : under.offers }),
      ),
    );
    await fast[Symbol.asyncDispose]();
    expect(sweeps).toBeGreaterThan(SWEEPS);
    expect(new Set(ids).size).toBe(ids.length);
    const charged = [...billing.sales].filter(([, { state }]) => state === 'charged');
    expect(new Set(charged.map(([id]) => id))).toEqual(new Set(ids));
    expect(await under.count('offers')).toBe(ids.length);
  });
});

describe('different keys', () => {
  it('never exceed the quota together', async () => {
    const answers = await createMany(24, {}, { caller: { quota: { perOrganisation: 5, perPerson: 100 } } });
    expect([countOf(answers, 200, 'S1'), countOf(answers, 400, 'E4')]).toEqual([5, 19]);
    expect([under.otherServices.billing.charges(), await under.count('offers')]).toEqual([5, 5]);
  });

  it('never exceed the quota of free LIVE offers together', async () => {
    under.otherServices.pricing.costMinor = 0n;
    const answers = await createMany(24, ...live);
    expect([countOf(answers, 200, 'S1'), countOf(answers, 400, 'E4')]).toEqual([10, 14]);
    expect([await under.count('offers'), await under.count('idempotency_keys')]).toEqual([10, 10]);
  });

  it('racing for a balance that affords 10 give exactly 10 offers', async () => {
    under.otherServices.billing.balanceMinor = 100_00n;
    const answers = await createMany(MANY);
    expect([countOf(answers, 200, 'S1'), countOf(answers, 200, 'E3')]).toEqual([10, MANY - 10]);
    expect(under.otherServices.billing.balanceMinor).toBe(0n);
    expect(await under.count('offers WHERE shown_at IS NOT NULL')).toBe(10);
    expect([await under.count('offers'), await under.count('idempotency_keys')]).toEqual([10, 10]);
  });
});
