/** Many at once, through two replicas: one key, different keys with little room, and the balance. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startWhenStoresServe } from '@offer-ads/platform/process/patient-start';
import { testClock } from '@offer-ads/testing/clock';
import { silentLogger } from '@offer-ads/testing/logger';
import { runs } from '@offer-ads/testing/profile';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { type Offers, startOffers } from '../../src/service.ts';
import { create, createPatiently } from '../forms.ts';
import { type Answer, type OffersUnderTest, startOffersUnderTest } from '../offers-under-test.ts';

let under: OffersUnderTest;
let replica: Offers;
beforeAll(async () => {
  under = await startOffersUnderTest();
  replica = await startWhenStoresServe(() =>
    startOffers(under.config, { clock: under.clock, logger: silentLogger }),
  );
});
afterAll(async () => {
  await replica[Symbol.asyncDispose]();
  await under[Symbol.asyncDispose]();
});
beforeEach(async () => {
  under.otherServices.reset();
  await under.postgres.query('DELETE FROM idempotency_keys');
  await under.postgres.query('DELETE FROM offers');
});

const MANY = 64;
/** In the middle of creations; then they are left in peace, or none would come to its end. */
const SWEEPS = 20;

function replicaFor(nth: number): Offers {
  return nth % 2 === 0 ? under.offers : replica;
}

function countOf(answers: readonly Answer[], status: number, code?: string): number {
  return answers.filter(
    ({ status: given, body }) =>
      given === status && (code === undefined || (body as { return_code: string }).return_code === code),
  ).length;
}

describe('one key', () => {
  it('64 times at once gives one offer, one charge, and the same reply to all who got one', async () => {
    for (let round = 0; round < runs(1, 10); round += 1) {
      under.otherServices.billing.sales.clear();
      const key = randomUUID();
      const answers = await Promise.all(
        Array.from({ length: MANY }, (_, nth) => createPatiently(under, {}, { key, to: replicaFor(nth) })),
      );
      expect(countOf(answers, 200, 'S1') + countOf(answers, 409)).toBe(MANY);
      // On a busy machine the first one may be told 503 and then, like all others, that the key is being worked on.
      const last = await eventually(async () => {
        const answer = await create(under, {}, { key });
        expect(answer).toMatchObject({ status: 200, body: { return_code: 'S1' } });
        return answer;
      });
      for (const { status, body } of answers) if (status === 200) expect(body).toEqual(last.body);
      expect(under.otherServices.billing.charges()).toBe(1);
    }
    expect(await under.postgres.query('SELECT 1 FROM offers')).toHaveLength(runs(1, 10));
  });
});

describe('a replica whose clock is five minutes ahead, and which takes every creation for abandoned', () => {
  it('leaves one offer and one charge for each key', async () => {
    const clock = testClock();
    clock.set(new Date(under.clock.now().getTime() + 300_000));
    await using fast = await startWhenStoresServe(() =>
      startOffers(under.config, { clock, logger: silentLogger }),
    );
    const { billing } = under.otherServices;
    let sweeps = 0;
    const sweep = async () => {
      sweeps += 1;
      if (sweeps <= SWEEPS) await fast.sweeper.recover();
    };
    Object.assign(billing, { onSale: sweep, onSold: sweep });
    const keys = Array.from({ length: runs(12, 100) }, () => randomUUID());
    const created = await Promise.all(
      keys.map((key, nth) =>
        eventually(
          async () => {
            const answer = await create(under, {}, { key, to: nth % 2 === 0 ? fast : under.offers });
            expect(answer).toMatchObject({ status: 200, body: { return_code: 'S1' } });
            return (answer.body as { offer_id: number }).offer_id;
          },
          { timeoutMs: 60_000 },
        ),
      ),
    );
    expect(sweeps).toBeGreaterThan(SWEEPS);
    expect(new Set(created).size).toBe(keys.length);
    const charged = [...billing.sales].filter(([, { state }]) => state === 'charged');
    expect(new Set(charged.map(([id]) => id))).toEqual(new Set(created));
    expect(await under.postgres.query('SELECT 1 FROM offers')).toHaveLength(keys.length);
  });
});

describe('different keys', () => {
  it('never exceed the quota together', async () => {
    const caller = { quota: { perOrganisation: 5, perPerson: 100 } };
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, nth) => createPatiently(under, {}, { caller, to: replicaFor(nth) })),
    );
    expect([countOf(answers, 200, 'S1'), countOf(answers, 400, 'E4')]).toEqual([5, 19]);
    expect(under.otherServices.billing.charges()).toBe(5);
    expect(await under.postgres.query('SELECT 1 FROM offers')).toHaveLength(5);
  });

  it('never exceed the quota of free LIVE offers together', async () => {
    under.otherServices.pricing.costMinor = 0n;
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, nth) =>
        createPatiently(under, { environment: 'LIVE' }, { caller: { mode: 'LIVE' }, to: replicaFor(nth) }),
      ),
    );
    expect([countOf(answers, 200, 'S1'), countOf(answers, 400, 'E4')]).toEqual([10, 14]);
    expect(await under.postgres.query('SELECT 1 FROM offers')).toHaveLength(10);
    expect(await under.postgres.query('SELECT 1 FROM idempotency_keys')).toHaveLength(10);
  });

  it('racing for a balance that affords 10 give exactly 10 offers', async () => {
    under.otherServices.billing.balanceMinor = 100_00n;
    const answers = await Promise.all(
      Array.from({ length: MANY }, (_, nth) => createPatiently(under, {}, { to: replicaFor(nth) })),
    );
    expect([countOf(answers, 200, 'S1'), countOf(answers, 200, 'E3')]).toEqual([10, MANY - 10]);
    expect(under.otherServices.billing.balanceMinor).toBe(0n);
    expect(await under.postgres.query('SELECT 1 FROM offers WHERE shown_at IS NOT NULL')).toHaveLength(10);
    expect(await under.postgres.query('SELECT 1 FROM offers')).toHaveLength(10);
    expect(await under.postgres.query('SELECT 1 FROM idempotency_keys')).toHaveLength(10);
  });
});
