/** A caller who leaves: before the charge nothing comes of it, from the charge on the creation is brought to its end. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { signedCaller } from '@offer-ads/testing/caller';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { create, form, type Parts } from '../forms.ts';
import { type OffersUnderTest, startOffersUnderTest } from '../offers-under-test.ts';

let under: OffersUnderTest;
beforeAll(async () => {
  under = await startOffersUnderTest();
});
afterAll(async () => {
  await under[Symbol.asyncDispose]();
});
beforeEach(async () => {
  under.otherServices.reset();
  await under.postgres.query('DELETE FROM idempotency_keys');
  await under.postgres.query('DELETE FROM offers');
  await under.clearEvents();
});

/** What a caller holds who sends a creation: `leave` hangs up without having heard a thing. */
async function send(key: string, parts: Parts = {}): Promise<{ leave: () => Promise<void> }> {
  const hangUp = new AbortController();
  const reply = fetch(`${under.offers.url}/offers`, {
    method: 'POST',
    headers: { ...signedCaller({ audience: 'offers' }), 'Idempotency-Key': key },
    body: await form(parts),
    signal: hangUp.signal,
  });
  const ended = reply.then(
    () => 'answered',
    (error: Error) => error.name,
  );
  return {
    leave: async () => {
      hangUp.abort();
      expect(await ended).toBe('AbortError');
    },
  };
}

/** A step at which a service stands still until the test lets it go on. */
function standstill() {
  const reached = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const step = async () => {
    reached.resolve();
    await goOn.promise;
  };
  return { step, reached: reached.promise, goOn: goOn.resolve };
}

async function recoveryPoints() {
  const rows = await under.postgres.query<{ recovery_point: string; lease_until: Date }>(
    'SELECT recovery_point, lease_until FROM idempotency_keys',
  );
  return rows.map((row) => ({ at: row.recovery_point, held: row.lease_until > under.clock.now() }));
}

/** How many creations the service has seen being left. */
async function creationsLeft(): Promise<number> {
  const text = await (await fetch(`${under.offers.url}/metrics`)).text();
  return Number(/_count\{[^}]*route="\/offers",status="499"[^}]*\} (\d+)/.exec(text)?.[1] ?? 0);
}

async function expectOneOfferAndOneCharge(): Promise<void> {
  expect(await under.postgres.query('SELECT 1 FROM offers')).toHaveLength(1);
  expect(under.otherServices.billing.charges()).toBe(1);
  expect((await under.events()).map((event) => event.name)).toEqual(['OfferCreated', 'OfferPaymentApplied']);
}

describe('a caller who leaves before the charge', () => {
  it.each(['pricing', 'moderation'] as const)(
    'while %s works: nothing is created or charged, and the same key goes on at once',
    async (service) => {
      const key = randomUUID();
      const { step, reached, goOn } = standstill();
      under.otherServices[service].onAsked = step;
      const caller = await send(key);
      await reached;
      await caller.leave();
      // Let go long before the service answers.
      await eventually(async () => expect(await recoveryPoints()).toEqual([{ at: 'received', held: false }]));
      goOn();
      expect(await under.postgres.query('SELECT 1 FROM offers')).toEqual([]);
      expect(under.otherServices.billing.sales.size).toBe(0);
      expect(await under.events()).toEqual([]);

      under.otherServices[service].onAsked = async () => {};
      expect(await create(under, {}, { key })).toMatchObject({ status: 200, body: { return_code: 'S1' } });
      await expectOneOfferAndOneCharge();
    },
  );

  it('when the last check is made: no reservation is made, and the same key begins again', async () => {
    const key = randomUUID();
    const { step, reached, goOn } = standstill();
    under.otherServices.moderation.onAsked = step;
    const caller = await send(key);
    await reached;
    await under.postgres.transaction(async (tx) => {
      // Holds up the row of the picture, and with it the reservation.
      await tx.query('LOCK TABLE images');
      goOn();
      await eventually(async () => {
        const waiting = await under.postgres.query(
          "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        );
        expect(waiting).toHaveLength(1);
      });
      const leftBefore = await creationsLeft();
      await caller.leave();
      await eventually(async () => expect(await creationsLeft()).toBe(leftBefore + 1));
    });
    await eventually(async () => expect(await recoveryPoints()).toEqual([{ at: 'received', held: false }]));
    expect(await under.postgres.query('SELECT 1 FROM offers')).toEqual([]);
    expect(under.otherServices.billing.sales.size).toBe(0);
    expect((await create(under, {}, { key })).status).toBe(200);
    await expectOneOfferAndOneCharge();
  });

  it('again and again does not make the otherServices look as if they were down', async () => {
    for (let count = 0; count < 6; count += 1) {
      const { step, reached, goOn } = standstill();
      under.otherServices.pricing.onAsked = step;
      const caller = await send(randomUUID());
      await reached;
      await caller.leave();
      await eventually(async () => expect((await recoveryPoints()).filter(({ held }) => held)).toEqual([]));
      goOn();
    }
    under.otherServices.pricing.onAsked = async () => {};
    expect((await create(under)).status).toBe(200);
  });
});

describe('a caller who leaves during the charge', () => {
  it.each([
    ['before billing has charged', 'onSale'],
    ['when billing has charged', 'onSold'],
  ] as const)('%s: the offer is finished, and the key tells of it', async (_when, moment) => {
    const key = randomUUID();
    const { step, reached, goOn } = standstill();
    under.otherServices.billing[moment] = step;
    const caller = await send(key);
    await reached;
    await caller.leave();
    goOn();
    await eventually(async () => expect(await recoveryPoints()).toMatchObject([{ at: 'finished' }]));
    await expectOneOfferAndOneCharge();
    const replay = await create(under, {}, { key });
    expect(replay).toMatchObject({ status: 200, body: { return_code: 'S1' } });
    expect(replay.headers.get('idempotent-replayed')).toBe('true');
    await expectOneOfferAndOneCharge();
  });

  it('for a payment page: the link is issued, and the key gives the same one', async () => {
    const key = randomUUID();
    const { step, reached, goOn } = standstill();
    under.otherServices.billing.onSale = step;
    const caller = await send(key, { payment_method: 'E' });
    await reached;
    await caller.leave();
    goOn();
    await eventually(async () => expect(await recoveryPoints()).toMatchObject([{ at: 'finished' }]));
    expect((await under.events()).map((event) => event.name)).toEqual(['OfferCreated', 'PaymentLinkIssued']);
    const { body } = await create(under, { payment_method: 'E' }, { key });
    const [url] = [...under.otherServices.billing.sales.values()].map((sale) => sale.url);
    expect(body).toMatchObject({ status: 'Awaiting Payment', payment_url: url });
  });
});

describe('a caller who leaves during a deletion that has begun', () => {
  it('finds the offer deleted and its page closed', async () => {
    const { body } = await create(under, { payment_method: 'E' });
    const { offer_id: id } = body as { offer_id: number };
    const { step, reached, goOn } = standstill();
    under.otherServices.billing.onClose = step;
    const hangUp = new AbortController();
    const reply = fetch(`${under.offers.url}/offers/${id}`, {
      method: 'DELETE',
      headers: signedCaller({ audience: 'offers' }),
      signal: hangUp.signal,
    });
    const ended = reply.then(
      () => 'answered',
      (error: Error) => error.name,
    );
    await reached;
    hangUp.abort();
    expect(await ended).toBe('AbortError');
    goOn();
    await eventually(async () =>
      expect((await under.events()).map((event) => event.name)).toContain('OfferDeleted'),
    );
    expect(under.otherServices.billing.sales.get(id)).toMatchObject({ state: 'closed' });
  });
});
