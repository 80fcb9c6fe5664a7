/** Rates and interests in memory follow MongoDB, so that each replica has the changes of the others. */
import { beforeAll, expect, it } from '@jest/globals';
import type { Mongo } from '@offer-ads/platform/mongo/mongo';
import { startWhenStoresServe } from '@offer-ads/platform/process/start-when-stores-serve';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { Cached } from '../src/cached.ts';
import type { ReferenceRates } from '../src/domain/rates/exchange-rate.ts';
import { cacheInterests } from '../src/members/cached-interests.ts';
import { openInterestsStore } from '../src/members/interests-store.ts';
import { cacheRates } from '../src/rates/cached-rates.ts';
import { openRatesStore } from '../src/rates/rates-store.ts';
import { openMongoUnderTest } from './mongo-under-test.ts';

const database = forAllTests(() => openMongoUnderTest());
/** This replica and another one. */
let here: Mongo;
let there: Mongo;

beforeAll(async () => {
  [here, there] = [await database.connect(), await database.connect()];
});

/** Reads as the loop does every two seconds. A read that takes too long changes no cached value. */
async function onceReadAnew(cached: Pick<Cached<unknown>, 'refresh'>, assertion: () => void): Promise<void> {
  await eventually(async () => {
    await cached.refresh().catch(() => {});
    assertion();
  });
}

const evening = new Date('2026-11-20T18:00:00Z');

function dollars(date: string, perPoundE8: bigint): ReferenceRates {
  const perEuroE8 = new Map([
    ['GBP', 100_000_000n],
    ['USD', perPoundE8],
  ]);
  return { date, perEuroE8 };
}

it('rates that another replica has stored or withdrawn are used after the next read, with every digit; ten fixings are cached', async () => {
  const ratesThere = openRatesStore(there.connection);
  const rates = await startWhenStoresServe(() => cacheRates(openRatesStore(here.connection)));
  expect(rates.exchangeRate('USD', evening)).toBeNull();
  const save = (date: string, perPoundE8: bigint) =>
    eventually(() => ratesThere.save(dollars(date, perPoundE8), evening));
  const inForce = (perGbpE6: bigint, date: string) => () =>
    expect(rates.exchangeRate('USD', evening)).toEqual({ perGbpE6, date });
  for (let day = 10; day <= 19; day += 1) await save(`2026-11-${day}`, 200_000_000n);
  await save('2026-11-20', 9_007_199_254_740_993n);
  // Clocks of replicas differ.
  await save('2026-11-23', 100_000_000n);
  await onceReadAnew(rates, inForce(90_071_992_547_410n, '2026-11-20'));
  expect(rates.latestDate(evening)).toBe('2026-11-20');
  expect(rates.fixings()).toHaveLength(10);
  expect(rates.fixings()[1]).toEqual(dollars('2026-11-20', 9_007_199_254_740_993n));
  await eventually(() => ratesThere.withdrawAfter('2026-11-19'));
  await onceReadAnew(rates, inForce(2_000_000n, '2026-11-19'));
});

it('interests that another replica has stored are used after the next read, there at once; an older list changes nothing', async () => {
  const open = ({ connection }: Mongo) =>
    startWhenStoresServe(() => cacheInterests(openInterestsStore(connection)));
  const [interestsHere, interestsThere] = [await open(here), await open(there)];
  await eventually(() => interestsThere.replace({ version: 2, active: [1, 2] }));
  expect([...interestsThere.active()]).toEqual([1, 2]);
  expect([...interestsHere.active()]).toEqual([]);
  await onceReadAnew(interestsHere, () => expect([...interestsHere.active()]).toEqual([1, 2]));
  await eventually(() => interestsHere.replace({ version: 1, active: [9] }));
  expect([...interestsHere.active()]).toEqual([1, 2]);
});
