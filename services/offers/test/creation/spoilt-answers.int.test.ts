/** OtherServices that do the work and answer nonsense, or answer when nobody waits any more: 503, one offer in the end, no second sale. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { requestBudgetHeader } from '@offer-ads/contracts/internal/caller-context';
import { type CallName, spoilings } from '../fake-services.ts';
import { create, createdId } from '../forms.ts';
import { type Answer, type OffersUnderTest, startOffersUnderTest } from '../offers-under-test.ts';

const LEASE_MS = 31_000;
const ABANDONED_MS = 61_000;
/** Time enough to come to the call that is late. */
const SHORT_BUDGET_MS = 5_000;

let under: OffersUnderTest;
beforeAll(async () => {
  under = await startOffersUnderTest();
});
afterAll(async () => {
  await under[Symbol.asyncDispose]();
});
beforeEach(async () => {
  under.otherServices.reset();
  under.clock.set('2026-06-01T12:00:00Z');
  // Breakers look at the share of failures: with so many successes before each test they stay closed.
  for (let i = 0; i < 4; i += 1) await create(under);
  under.otherServices.reset();
  await under.postgres.query('DELETE FROM idempotency_keys');
  await under.postgres.query('DELETE FROM offers');
  await under.clearEvents();
});

const callsOf = {
  B: ['price', 'balance', 'verdict', 'charge'],
  E: ['checkout'],
} as const satisfies Record<string, readonly CallName[]>;
const calls = Object.entries(callsOf).flatMap(([method, names]) =>
  names.map((name) => ({ name, parts: { payment_method: method } })),
);

function expectUnavailable(answer: Answer): void {
  expect(answer).toMatchObject({ status: 503, body: { message: 'Service unavailable' } });
  expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
}

async function shownIds(): Promise<number[]> {
  const rows = await under.postgres.query<{ offer_id: number }>(
    'SELECT offer_id FROM offers WHERE shown_at IS NOT NULL',
  );
  return rows.map((row) => row.offer_id);
}

function soldIds(): number[] {
  const sales = [...under.otherServices.billing.sales];
  return sales.filter(([, { state }]) => state !== 'closed').map(([id]) => id);
}

async function expectNothing(): Promise<void> {
  expect(await under.postgres.query('SELECT 1 FROM offers')).toEqual([]);
  expect(await under.postgres.query('SELECT 1 FROM idempotency_keys')).toEqual([]);
  expect(soldIds()).toEqual([]);
  expect(await under.events()).toEqual([]);
}

async function expectOne(answer: Answer): Promise<void> {
  expect(answer).toMatchObject({ status: 200, body: { return_code: 'S1' } });
  const { offer_id: id } = answer.body as { offer_id: number };
  expect([await shownIds(), soldIds()]).toEqual([[id], [id]]);
  expect(await under.postgres.query('SELECT 1 FROM offers')).toHaveLength(1);
  expect(await under.events()).toHaveLength(2);
}

describe.each(calls)('the answer to $name', ({ name, parts }) => {
  it.each(spoilings)('spoilt as %s is a 503, and the same key goes on', async (spoiling) => {
    const key = randomUUID();
    under.otherServices.spoilt = { [name]: spoiling };
    expectUnavailable(await create(under, parts, { key, once: true }));
    expect([await shownIds(), await under.events()]).toEqual([[], []]);
    under.otherServices.spoilt = {};
    await expectOne(await create(under, parts, { key }));
  });

  it('that comes when nobody waits any more is a 503, and the same key goes on', async () => {
    const key = randomUUID();
    const [asked, goOn, done] = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
    under.otherServices.onCall = async (call) => {
      if (call.name !== name) return;
      if (call.when === 'done') return done!.resolve();
      asked!.resolve();
      await goOn!.promise;
    };
    const headers = { [requestBudgetHeader]: `${SHORT_BUDGET_MS}` };
    expectUnavailable(await create(under, parts, { key, headers, once: true }));
    await asked!.promise;
    goOn!.resolve();
    await done!.promise;
    expect(await shownIds()).toEqual([]);
    await expectOne(await create(under, parts, { key }));
  });
});

describe('the answer to settle', () => {
  const refusing = { B: { spent: true }, E: { tooSmall: true } };
  it.each(spoilings.flatMap((spoiling) => (['B', 'E'] as const).map((method) => ({ spoiling, method }))))(
    'spoilt as $spoiling after a refusal ($method) is a 503; the sweep finds out, and the key is free',
    async ({ spoiling, method }) => {
      const key = randomUUID();
      Object.assign(under.otherServices.billing, refusing[method]);
      under.otherServices.spoilt = { settle: spoiling };
      expectUnavailable(await create(under, { payment_method: method }, { key, once: true }));
      under.clock.advance(LEASE_MS + ABANDONED_MS);
      await under.offers.sweeper.recover();
      expect(await under.postgres.query('SELECT 1 FROM offers')).toHaveLength(1);
      under.otherServices.reset();
      under.clock.advance(ABANDONED_MS);
      await under.offers.sweeper.recover();
      await expectNothing();
      under.clock.set('2026-06-01T12:00:00Z');
      await expectOne(await create(under, { title: 'Another', payment_method: method }, { key }));
    },
  );
});

describe('the answer to close', () => {
  it.each(spoilings)(
    'spoilt as %s is E7: nothing is deleted, and deleting again finds out',
    async (spoiling) => {
      const id = await createdId(under, { payment_method: 'E' });
      under.otherServices.spoilt = { close: spoiling };
      expect(await under.call('DELETE', `/offers/${id}`)).toMatchObject({
        status: 503,
        body: { return_code: 'E7' },
      });
      expect(await shownIds()).toEqual([id]);
      under.otherServices.spoilt = {};
      expect((await under.call('DELETE', `/offers/${id}`)).status).toBe(200);
      expect(soldIds()).toEqual([]);
    },
  );
});
