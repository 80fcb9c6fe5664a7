/** What creations leave behind. */
import { expect } from '@jest/globals';
import type { Queryable } from '@offer-ads/platform/postgres/postgres';
import { create } from '../forms.ts';
import type { Answer, OffersUnderTest } from '../offers-under-test.ts';

export const created = { status: 200, body: { return_code: 'S1' } };

type Traces = Record<'offers' | 'keys' | 'sales' | 'events', number>;
export const nothing: Traces = { offers: 0, keys: 0, sales: 0, events: 0 };

export async function tracesIn(under: OffersUnderTest): Promise<Traces> {
  return {
    offers: await under.count('offers'),
    keys: await under.count('idempotency_keys'),
    sales: salesIn(under).length,
    events: (await under.events()).length,
  };
}

/** Sales that were not closed, by offer id. */
export function salesIn({ otherServices: { billing } }: OffersUnderTest) {
  return [...billing.sales].filter(([, { state }]) => state !== 'closed');
}

/** The answer created the only offer, with the only sale, and its two events. */
export async function expectOneOffer(
  under: OffersUnderTest,
  answer: Answer,
  state: 'charged' | 'open' | 'paid' = 'charged',
): Promise<void> {
  expect(answer).toMatchObject(created);
  const { offer_id: id } = answer.body as { offer_id: number };
  expect(salesIn(under)).toMatchObject([[id, { state }]]);
  expect(await under.postgres.query('SELECT offer_id FROM offers')).toEqual([{ offer_id: id }]);
  expect(await listedIds(under)).toEqual([id]);
  const payment = state === 'open' ? 'PaymentLinkIssued' : 'OfferPaymentApplied';
  expect((await under.events()).map((event) => event.name)).toEqual(['OfferCreated', payment]);
}

export async function listedIds(under: OffersUnderTest): Promise<number[]> {
  const { body } = await under.call('GET', '/offers?environment=test&limit=100');
  return (body as { data: { offer_id: number }[] }).data.map((offer) => offer.offer_id);
}

export function expectUnavailable(answer: Answer): void {
  expect(answer).toMatchObject({ status: 503, body: { message: 'Service unavailable' } });
  expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
}

/** Breakers open at a share of failures. After so many successes, the failures of one test do not open them. */
export async function keepBreakersClosed(under: OffersUnderTest): Promise<void> {
  await Promise.all(Array.from({ length: 6 }, () => create(under)));
  under.otherServices.reset();
  await under.postgres.query('DELETE FROM idempotency_keys; DELETE FROM offers; DELETE FROM outbox');
}

/** No creation of organisation 1 can reserve an offer while `work` runs, because another connection has the lock of its quota. */
export async function whileQuotaIsLocked<T>(
  { postgres }: OffersUnderTest,
  work: (keeper: Queryable) => Promise<T>,
): Promise<T> {
  return postgres.transaction(async (keeper) => {
    await keeper.query("SELECT pg_advisory_xact_lock(hashtextextended('quota/1/TEST', 0))");
    return work(keeper);
  });
}
