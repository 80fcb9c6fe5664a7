/** Rates and interests in memory follow MongoDB, so that each replica has the changes of the others. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Mongo, openMongo } from '@offer-ads/platform/mongo/mongo';
import { startWhenStoresServe } from '@offer-ads/platform/process/patient-start';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { createTestMongo, type TestMongo } from '@offer-ads/testing/stores/mongo';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { ReferenceRates } from '../src/domain/rates/exchange-rate.ts';
import { keepFresh } from '../src/held.ts';
import { type HeldInterests, holdInterests } from '../src/members/held-interests.ts';
import { openInterestsStore } from '../src/members/interests-store.ts';
import { type HeldRates, holdRates } from '../src/rates/held-rates.ts';
import { openRatesStore, type RatesStore } from '../src/rates/rates-store.ts';

let database: TestMongo;
/** This replica and another one. */
let here: Mongo;
let there: Mongo;
let ratesThere: RatesStore;
let interestsThere: HeldInterests;
let rates: HeldRates;
let interests: HeldInterests;
/** What the loop does every two seconds. A read that takes too long changes no held value. */
let readAnew: () => Promise<void>;

async function onceReadAnew(assertion: () => void): Promise<void> {
  await eventually(async () => {
    await readAnew();
    assertion();
  });
}

beforeAll(async () => {
  database = await createTestMongo();
  const metrics = createMetrics('pricing');
  const open = () =>
    startWhenStoresServe(() => openMongo({ url: database.url, logger: silentLogger, metrics }));
  here = await open();
  there = await open();
});
beforeEach(async () => {
  await there.connection.collection('rates').deleteMany({});
  await there.connection.collection('catalogue').deleteMany({});
  ratesThere = openRatesStore(there.connection);
  await startWhenStoresServe(async () => {
    interestsThere = await holdInterests(openInterestsStore(there.connection));
    rates = await holdRates(openRatesStore(here.connection));
    interests = await holdInterests(openInterestsStore(here.connection));
  });
  readAnew = keepFresh([rates, interests], silentLogger);
});
afterAll(async () => {
  await here[Symbol.asyncDispose]();
  await there[Symbol.asyncDispose]();
  await database.dispose();
});

const evening = new Date('2026-11-20T18:00:00Z');

function dollars(date: string, perPound: number): ReferenceRates {
  return {
    date,
    perEuroE8: new Map([
      ['GBP', 100_000_000n],
      ['USD', BigInt(perPound) * 100_000_000n],
    ]),
  };
}

describe('a value that another replica has stored', () => {
  it('is used here after the next read: rates, also when they are withdrawn', async () => {
    expect(rates.exchangeRate('USD', evening)).toBeNull();
    await ratesThere.save(dollars('2026-11-19', 2), evening);
    await ratesThere.save(dollars('2026-11-20', 3), evening);
    const inForce = (perGbpE6: bigint, date: string) => () =>
      expect(rates.exchangeRate('USD', evening)).toEqual({ perGbpE6, date });
    await onceReadAnew(inForce(3_000_000n, '2026-11-20'));
    await ratesThere.withdrawAfter('2026-11-19');
    await onceReadAnew(inForce(2_000_000n, '2026-11-19'));
  });

  it('is used here after the next read: interests; the other replica uses them at once', async () => {
    await interestsThere.replace({ version: 2, active: [1, 2] });
    expect([...interestsThere.active()]).toEqual([1, 2]);
    expect([...interests.active()]).toEqual([]);
    await onceReadAnew(() => expect([...interests.active()]).toEqual([1, 2]));
    await interests.replace({ version: 1, active: [9] });
    expect([...interests.active()]).toEqual([1, 2]);
  });
});

describe('a held value', () => {
  it('has the ten newest fixings with every digit', async () => {
    for (let day = 1; day <= 20; day += 1) {
      await ratesThere.save(dollars(`2026-10-${String(day).padStart(2, '0')}`, day), evening);
    }
    const exact = { date: '2026-11-20', perEuroE8: new Map([['GBP', 9_007_199_254_740_993n]]) };
    await ratesThere.save(exact, evening);
    await onceReadAnew(() => expect(rates.fixings()[0]).toEqual(exact));
    expect(rates.fixings()).toHaveLength(10);
    expect(rates.fixings()[9]?.date).toBe('2026-10-12');
  });
});
