/** Lost answers and requests that nobody finishes, at every recovery point: one offer and one charge, or none of both. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OfferPaid } from '@offer-ads/contracts/events/billing';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { create, type Parts } from '../forms.ts';
import { type Answer, type OffersUnderTest, startOffersUnderTest } from '../offers-under-test.ts';
import { offerPaid } from '../payments.ts';

/** A call whose connection breaks is tried once more, so an answer is lost for good when both break. */
const FOR_GOOD = 2;
/** Longer than a lease, and longer than the sweeper waits for the client. */
const LEASE_MS = 31_000;
const ABANDONED_MS = 61_000;

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
  for (let i = 0; i < 6; i += 1) await create(under);
  under.otherServices.reset();
  await under.postgres.query('DELETE FROM idempotency_keys');
  await under.postgres.query('DELETE FROM offers');
  await under.clearEvents();
});

async function listedIds(): Promise<number[]> {
  const { body } = await under.call('GET', '/offers?environment=test&limit=100');
  return (body as { data: { offer_id: number }[] }).data.map((offer) => offer.offer_id);
}

/** By card where much happens while billing is asked: it has several times as long for a page as for a charge. */
const byCard = { payment_method: 'E' };

async function expectOneOfferAndOneCharge(answer: Answer): Promise<void> {
  await expectOneOfferAndOneSale(answer, 'charged');
}

async function expectOneOfferAndOneSale(answer: Answer, state: 'charged' | 'open' | 'paid'): Promise<void> {
  expect(answer).toMatchObject({ status: 200, body: { return_code: 'S1' } });
  const { offer_id: id } = answer.body as { offer_id: number };
  expect(await listedIds()).toEqual([id]);
  expect(await under.postgres.query('SELECT 1 FROM offers')).toHaveLength(1);
  expect([...under.otherServices.billing.sales]).toMatchObject([[id, { state }]]);
  const news = state === 'open' ? 'PaymentLinkIssued' : 'OfferPaymentApplied';
  expect((await under.events()).map((event) => event.name)).toEqual(['OfferCreated', news]);
}

async function expectNothing(): Promise<void> {
  expect(await under.postgres.query('SELECT 1 FROM offers')).toEqual([]);
  expect(await under.postgres.query('SELECT 1 FROM idempotency_keys')).toEqual([]);
  expect(under.otherServices.billing.charges()).toBe(0);
  expect(await under.events()).toEqual([]);
}

/** The one offer that billing has heard of. */
function onlySale() {
  const [[id, sale] = []] = under.otherServices.billing.sales;
  if (id === undefined || sale === undefined) throw new Error('billing was asked nothing');
  return { id, sale };
}

function expectUnavailable(answer: Answer): void {
  expect(answer).toMatchObject({ status: 503, body: { message: 'Service unavailable' } });
  expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
}

/**
 * A creation that is told 503 because all connections break at this moment of that service's; one that a busy machine kept from
 * coming so far comes again.
 */
async function createInVain(
  service: 'pricing' | 'moderation' | 'billing',
  moment: 'beforeWork' | 'afterWork',
  key: string,
  parts: Parts = {},
): Promise<void> {
  const { breaks } = under.otherServices[service];
  do {
    breaks[moment] = FOR_GOOD;
    expectUnavailable(await create(under, parts, { key, once: true }));
  } while (breaks[moment] > 0);
}

async function sweepAfter(milliseconds: number): Promise<void> {
  under.clock.advance(milliseconds);
  await under.offers.sweeper.recover();
}

describe('after a 503 the same key tells the outcome', () => {
  it.each(['pricing', 'moderation', 'billing'] as const)('when %s was away', async (service) => {
    const key = randomUUID();
    await createInVain(service, 'beforeWork', key);
    expect(await listedIds()).toEqual([]);
    expect(under.otherServices.billing.charges()).toBe(0);
    await expectOneOfferAndOneCharge(await create(under, {}, { key }));
  });

  it('when the answer about a charge was lost', async () => {
    const key = randomUUID();
    await createInVain('billing', 'afterWork', key);
    expect(await listedIds()).toEqual([]);
    await expectOneOfferAndOneCharge(await create(under, {}, { key }));
    expect(under.otherServices.billing.balanceMinor).toBe(990_00n);
  });

  it('when the answer about a checkout was lost: the same offer, the same link', async () => {
    const key = randomUUID();
    await createInVain('billing', 'afterWork', key, { payment_method: 'E' });
    const { id, sale } = onlySale();
    const answer = await create(under, { payment_method: 'E' }, { key });
    expect(answer.body).toMatchObject({ offer_id: id, payment_url: sale.url, status: 'Awaiting Payment' });
    expect(under.otherServices.billing.sales.size).toBe(1);
  });

  it('as a refusal when the charge never arrived and the balance is gone: nothing remains and the id is closed', async () => {
    const key = randomUUID();
    await createInVain('billing', 'beforeWork', key);
    under.otherServices.billing.balanceMinor = 0n;
    expect((await create(under, {}, { key })).body).toMatchObject({ return_code: 'E3' });
    await expectNothing();
    expect([...under.otherServices.billing.sales.values()]).toMatchObject([{ state: 'closed' }]);
  });

  it('as a refusal when nothing was charged yet and the start has passed for too long by now', async () => {
    const key = randomUUID();
    const parts = { start_datetime: '2026-06-01T12:00:00Z' };
    // Checked, but the reservation fails.
    await under.postgres.query('ALTER TABLE offers ADD CONSTRAINT full_disk CHECK (false) NOT VALID');
    expect((await create(under, parts, { key })).status).toBe(500);
    await under.postgres.query('ALTER TABLE offers DROP CONSTRAINT full_disk');
    under.clock.advance(60_001);
    expect(await create(under, parts, { key })).toMatchObject({ status: 400, body: { return_code: 'E1' } });
    await expectNothing();
  });

  it('and another payload is refused meanwhile', async () => {
    const key = randomUUID();
    await createInVain('billing', 'afterWork', key);
    expect((await create(under, { title: 'Other' }, { key })).status).toBe(422);
  });

  it('and time that the offer could not run meanwhile is unused', async () => {
    const key = randomUUID();
    const parts = { start_datetime: '2026-06-01T12:00:00Z' };
    await createInVain('billing', 'afterWork', key, parts);
    under.clock.advance(10_000);
    const { offer_id: id } = (await create(under, parts, { key })).body as { offer_id: number };
    expect((await under.admin('GET', `/admin/offers/${id}`)).body).toMatchObject({ unusedMs: 10_000 });
  });
});

describe('when the client never comes back, the sweep', () => {
  it.each(['pricing', 'moderation'] as const)('drops what %s kept from being checked', async (service) => {
    const key = randomUUID();
    await createInVain(service, 'beforeWork', key);
    await sweepAfter(ABANDONED_MS);
    await expectNothing();
    under.clock.set('2026-06-01T12:00:00Z');
    expect((await create(under, { title: 'Other' }, { key })).body).toMatchObject({ return_code: 'S1' });
  });

  it('leaves the client a minute', async () => {
    await createInVain('billing', 'afterWork', randomUUID());
    await sweepAfter(59_000);
    expect(under.otherServices.billing.charges()).toBe(1);
    expect(await listedIds()).toEqual([]);
  });

  it('finishes what was charged, and the key replays it', async () => {
    const key = randomUUID();
    await createInVain('billing', 'afterWork', key);
    await sweepAfter(ABANDONED_MS);
    const replay = await create(under, {}, { key });
    expect(replay.headers.get('idempotent-replayed')).toBe('true');
    await expectOneOfferAndOneCharge(replay);
  });

  it('closes for ever what was not charged, and frees the key for a new id', async () => {
    const key = randomUUID();
    await createInVain('billing', 'beforeWork', key);
    await sweepAfter(ABANDONED_MS);
    await expectNothing();
    const { id: closedId, sale } = onlySale();
    expect(sale.state).toBe('closed');
    const again = await create(under, {}, { key });
    expect((again.body as { offer_id: number }).offer_id).toBeGreaterThan(closedId);
  });

  it('finishes a card offer whose page was paid, and drops one whose page was not', async () => {
    const [paidKey, unpaidKey] = [randomUUID(), randomUUID()];
    const parts = { payment_method: 'E' };
    await createInVain('billing', 'afterWork', paidKey, parts);
    const [paidId] = [...under.otherServices.billing.sales.keys()];
    under.otherServices.billing.pay(paidId!);
    await createInVain('billing', 'afterWork', unpaidKey, parts);
    await sweepAfter(ABANDONED_MS);
    expect(await listedIds()).toEqual([paidId]);
    expect((await under.admin('GET', `/admin/offers/${paidId}`)).body).toMatchObject({ status: 'Scheduled' });
    expect((await create(under, parts, { key: paidKey })).body).toMatchObject({
      offer_id: paidId,
      status: 'Awaiting Payment',
    });
    await under.deliver(OfferPaid, offerPaid(under, paidId!));
    expect((await under.events()).filter((event) => event.name === 'OfferPaymentApplied')).toHaveLength(1);
  });

  it('does not wait with the others for one that billing is slow about', async () => {
    for (let count = 0; count < 2; count += 1) await createInVain('billing', 'afterWork', randomUUID());
    const othersDone = Promise.withResolvers<void>();
    let isFirst = true;
    under.otherServices.onCall = async ({ name, when }) => {
      if (name !== 'settle' || when !== 'asked' || !isFirst) return;
      isFirst = false;
      await othersDone.promise;
    };
    under.clock.advance(ABANDONED_MS);
    const sweeping = under.offers.sweeper.recover();
    await eventually(async () => expect(await listedIds()).toHaveLength(1));
    othersDone.resolve();
    await sweeping;
    expect(await listedIds()).toHaveLength(2);
  });

  it('waits with what billing cannot tell yet', async () => {
    await createInVain('billing', 'afterWork', randomUUID());
    under.otherServices.billing.closing = 'unknown';
    await sweepAfter(ABANDONED_MS);
    expect(await listedIds()).toEqual([]);
    under.otherServices.billing.closing = 'works';
    await sweepAfter(ABANDONED_MS);
    expect(await listedIds()).toHaveLength(1);
  });
});

describe('a payment that comes before its creation is finished', () => {
  it('is kept, and counts when the creation is finished', async () => {
    under.otherServices.billing.onSold = async (offerId) => {
      under.otherServices.billing.pay(offerId);
      await under.deliver(OfferPaid, offerPaid(under, offerId));
    };
    const answer = await create(under, { payment_method: 'E' });
    expect(answer.body).toMatchObject({ return_code: 'S1', status: 'Awaiting Payment' });
    expect(await under.events()).toMatchObject([
      { name: 'OfferCreated', data: { paid: true } },
      { name: 'OfferPaymentApplied', data: { outcome: 'scheduled', paymentMethod: 'E', vatMinor: '200' } },
    ]);
  });
});

describe('a clock that is set back by an hour', () => {
  /** A creation under way, of which nobody will ever hear again. */
  async function abandon(key: string): Promise<() => Promise<unknown>> {
    const asked = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    under.otherServices.billing.onSold = async () => {
      under.otherServices.billing.onSold = async () => {};
      asked.resolve();
      await goOn.promise;
    };
    const answer = create(under, byCard, { key });
    await asked.promise;
    under.clock.advance(-3_600_000);
    return () => {
      goOn.resolve();
      return answer;
    };
  }

  it('does not keep the same key waiting for an hour', async () => {
    const key = randomUUID();
    const goOn = await abandon(key);
    await expectOneOfferAndOneSale(await create(under, byCard, { key }), 'open');
    expect(await goOn()).toMatchObject({ status: 409 });
  });

  it('does not keep the sweep waiting for an hour', async () => {
    const key = randomUUID();
    const goOn = await abandon(key);
    // A page that was not paid would be closed.
    under.otherServices.billing.pay(onlySale().id);
    await under.offers.sweeper.recover();
    expect(await listedIds()).toHaveLength(1);
    expect(await goOn()).toMatchObject({ status: 409 });
    await expectOneOfferAndOneSale(await create(under, byCard, { key }), 'paid');
  });
});

describe('a request that was taken for dead', () => {
  it.each(['onSale', 'onSold'] as const)('does no harm when another has taken over (%s)', async (moment) => {
    const key = randomUUID();
    let successor: Promise<Answer> | undefined;
    under.otherServices.billing[moment] = async () => {
      under.otherServices.billing[moment] = async () => {};
      under.clock.advance(LEASE_MS);
      successor = create(under, byCard, { key });
      await successor;
    };
    const late = await create(under, byCard, { key });
    expect(late).toMatchObject({
      status: 409,
      body: { message: expect.stringMatching(/still being processed/) },
    });
    await expectOneOfferAndOneSale((await successor)!, 'open');
  });

  it('does no harm when the sweep has freed its key and the client has begun anew with it', async () => {
    const key = randomUUID();
    let successor: Answer | undefined;
    under.otherServices.billing.onSale = async () => {
      under.otherServices.billing.onSale = async () => {};
      await sweepAfter(LEASE_MS + ABANDONED_MS);
      successor = await create(under, byCard, { key });
    };
    expect(await create(under, byCard, { key })).toMatchObject({ status: 409 });
    expect(successor).toMatchObject({ status: 200, body: { return_code: 'S1' } });
    const replay = await create(under, byCard, { key });
    expect(replay.body).toEqual(successor?.body);
    const states = [...under.otherServices.billing.sales.values()].map(({ state }) => state);
    expect(states).toEqual(['closed', 'open']);
    expect(await listedIds()).toHaveLength(1);
  });
});
