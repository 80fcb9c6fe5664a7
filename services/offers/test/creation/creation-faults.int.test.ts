/** Lost and broken answers, and creations that no client finishes: in the end one offer and one sale, or none of both. */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { OfferPaid } from '@offer-ads/contracts/events/billing';
import { requestBudgetHeader } from '@offer-ads/contracts/internal/caller-context';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { type CallName, spoilings } from '../fake-services.ts';
import { byCard, create, createdId, type Parts, startingNow } from '../forms.ts';
import { type Answer, NOON, offersUnderTest } from '../offers-under-test.ts';
import { pausePoint } from '../pause-point.ts';
import { offerPaid } from '../payments.ts';
import {
  created,
  expectOneOffer,
  expectUnavailable,
  keepBreakersClosed,
  listedIds,
  nothing,
  tracesIn,
  whileQuotaIsLocked,
} from './creating.ts';

/** A call whose connection breaks is repeated once, so an answer is lost when both break. */
const FOR_GOOD = 2;
/** Longer than a lease, and longer than the sweeper leaves a creation to its client. */
const LEASE_MS = 31_000;
const ABANDONED_MS = 61_000;
const SHORT_BUDGET = { [requestBudgetHeader]: '1500' };

const under = offersUnderTest();
beforeEach(() => keepBreakersClosed(under));

/** The one offer that billing was asked about. */
function onlySale() {
  const [[id, sale] = []] = under.otherServices.billing.sales;
  if (id === undefined || sale === undefined) throw new Error('billing was asked nothing');
  return { id, sale };
}

/** A creation that is 503 because every connection to the service breaks at this moment. Repeated if a busy machine was faster. */
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

describe('after a 503, the same key returns the outcome', () => {
  it('as E3 when the charge never arrived and the balance is spent: nothing is left and the id is closed', async () => {
    const key = randomUUID();
    await createInVain('billing', 'beforeWork', key);
    under.otherServices.billing.balanceMinor = 0n;
    expect((await create(under, {}, { key })).body).toMatchObject({ return_code: 'E3' });
    expect(await tracesIn(under)).toEqual(nothing);
    expect(onlySale().sale.state).toBe('closed');
  });

  it('as E1 when nothing was charged yet and the start is too far in the past by now', async () => {
    const key = randomUUID();
    // The checks pass, and the reservation fails.
    await under.postgres.query('ALTER TABLE offers ADD CONSTRAINT full_disk CHECK (false) NOT VALID');
    expect((await create(under, startingNow, { key })).status).toBe(500);
    await under.postgres.query('ALTER TABLE offers DROP CONSTRAINT full_disk');
    under.clock.advance(60_001);
    expect((await create(under, startingNow, { key })).body).toMatchObject({ return_code: 'E1' });
    expect(await tracesIn(under)).toEqual(nothing);
  });

  it('with the time as Unused Time in which the offer could not run', async () => {
    const key = randomUUID();
    await createInVain('billing', 'afterWork', key, startingNow);
    under.clock.advance(10_000);
    const id = await createdId(under, startingNow, { key });
    expect(await under.offer(id)).toMatchObject({ unusedMs: 10_000 });
  });
});

describe('an answer that is no answer is a 503, and the same key goes on', () => {
  const calls: readonly (readonly [CallName, Parts, 'charged' | 'open'])[] = [
    ['price', {}, 'charged'],
    ['balance', {}, 'charged'],
    ['verdict', {}, 'charged'],
    ['charge', {}, 'charged'],
    ['checkout', byCard, 'open'],
  ];
  // Every kind meets the charge, and one kind every call.
  it.each([
    ...calls.map(([name, parts, end]) => ({ name, parts, end, how: 'wrong shape' as const })),
    ...spoilings.map((how) => ({ name: 'charge', parts: {}, end: 'charged', how }) as const),
  ])('$name: $how', async ({ name, parts, end, how }) => {
    const key = randomUUID();
    under.otherServices.spoilt = { [name]: how };
    expectUnavailable(await create(under, parts, { key, once: true }));
    expect([await listedIds(under), await under.events()]).toEqual([[], []]);
    under.otherServices.spoilt = {};
    expect((await create(under, { ...parts, title: 'Other' }, { key })).status).toBe(422);
    await expectOneOffer(under, await create(under, parts, { key }), end);
  });

  it.each(calls.slice(3))('%s: after the deadline', async (name, parts, end) => {
    const key = randomUUID();
    const call = pausePoint();
    const done = Promise.withResolvers<void>();
    const progress = { isReached: false };
    under.otherServices.onCall = async ({ name: asked, when }) => {
      if (asked !== name) return;
      if (when === 'done') return done.resolve();
      progress.isReached = true;
      await call.step();
    };
    do expectUnavailable(await create(under, parts, { key, headers: SHORT_BUDGET, once: true }));
    while (!progress.isReached);
    call.goOn();
    await done.promise;
    expect(await listedIds(under)).toEqual([]);
    await expectOneOffer(under, await create(under, parts, { key }), end);
  });

  it.each([
    ['B', { spent: true }],
    ['E', { tooSmall: true }],
  ])(
    'resolve, after a refusal (%s): the sweep asks again, and then the key is free',
    async (method, refusal) => {
      const key = randomUUID();
      const parts = { payment_method: method };
      Object.assign(under.otherServices.billing, refusal);
      under.otherServices.spoilt = { resolve: 'wrong shape' };
      expectUnavailable(await create(under, parts, { key, once: true }));
      await under.sweepAfter(LEASE_MS + ABANDONED_MS);
      expect(await under.count('offers')).toBe(1);
      under.otherServices.reset();
      await under.sweepAfter(ABANDONED_MS);
      expect(await tracesIn(under)).toEqual(nothing);
      under.clock.set(NOON);
      expect(await create(under, { title: 'Another', ...parts }, { key })).toMatchObject(created);
    },
  );
});

describe('when the client never comes back, the sweep', () => {
  it('leaves the creation to the client for a minute, then finishes what was charged; the key replays it', async () => {
    const key = randomUUID();
    await createInVain('billing', 'afterWork', key);
    await under.sweepAfter(59_000);
    expect([under.otherServices.billing.charges(), await listedIds(under)]).toEqual([1, []]);
    await under.sweepAfter(2_000);
    const replay = await create(under, {}, { key });
    expect(replay.headers.get('idempotent-replayed')).toBe('true');
    await expectOneOffer(under, replay);
  });

  it('closes for ever what was not charged, and frees the key for a new id', async () => {
    const key = randomUUID();
    await createInVain('billing', 'beforeWork', key);
    await under.sweepAfter(ABANDONED_MS);
    expect(await tracesIn(under)).toEqual(nothing);
    const { id, sale } = onlySale();
    expect(sale.state).toBe('closed');
    expect(await createdId(under, {}, { key })).toBeGreaterThan(id);
  });

  it('finishes a card offer whose page was paid, and drops one whose page was not', async () => {
    const [paidKey, unpaidKey] = [randomUUID(), randomUUID()];
    await createInVain('billing', 'afterWork', paidKey, byCard);
    const { id } = onlySale();
    under.otherServices.billing.pay(id);
    await createInVain('billing', 'afterWork', unpaidKey, byCard);
    await under.sweepAfter(ABANDONED_MS);
    expect(await listedIds(under)).toEqual([id]);
    expect(await under.offer(id)).toMatchObject({ status: 'Scheduled' });
    const replay = await create(under, byCard, { key: paidKey });
    expect(replay.body).toMatchObject({ offer_id: id, status: 'Awaiting Payment' });
    await under.deliver(OfferPaid, offerPaid(under, id));
    expect((await under.events()).filter((event) => event.name === 'OfferPaymentApplied')).toHaveLength(1);
  });

  it('is not delayed by one creation about which billing is slow', async () => {
    for (let count = 0; count < 2; count += 1) await createInVain('billing', 'afterWork', randomUUID());
    const slow = pausePoint();
    let isFirst = true;
    under.otherServices.onCall = async ({ name, when }) => {
      if (name !== 'resolve' || when !== 'asked' || !isFirst) return;
      isFirst = false;
      await slow.step();
    };
    const sweeping = under.sweepAfter(ABANDONED_MS);
    await eventually(async () => expect(await listedIds(under)).toHaveLength(1));
    slow.goOn();
    await sweeping;
    expect(await listedIds(under)).toHaveLength(2);
  });

  it('waits while billing cannot tell what became of the charge', async () => {
    await createInVain('billing', 'afterWork', randomUUID());
    under.otherServices.billing.closing = 'unknown';
    await under.sweepAfter(ABANDONED_MS);
    expect(await listedIds(under)).toEqual([]);
    under.otherServices.billing.closing = 'works';
    await under.sweepAfter(ABANDONED_MS);
    expect(await listedIds(under)).toHaveLength(1);
  });
});

it('a creation that gets the lock of the quota after its deadline reserves nothing, and the same key goes on', async () => {
  const key = randomUUID();
  const { answer } = await whileQuotaIsLocked(under, async (keeper) => {
    const answer = create(under, {}, { key, headers: SHORT_BUDGET, once: true });
    await eventually(async () =>
      expect(await under.count("pg_locks WHERE locktype = 'advisory' AND NOT granted")).toBe(1),
    );
    // The deadline is on the clock of the database.
    await keeper.query('SELECT pg_sleep($1)', [Number(SHORT_BUDGET[requestBudgetHeader]) / 1_000]);
    return { answer };
  });
  expectUnavailable(await answer);
  expect(await tracesIn(under)).toEqual({ ...nothing, keys: 1 });
  await expectOneOffer(under, await create(under, {}, { key }));
});

it('a payment that comes before its creation is finished is applied when the creation finishes', async () => {
  under.otherServices.billing.onSold = async (offerId) => {
    under.otherServices.billing.pay(offerId);
    await under.deliver(OfferPaid, offerPaid(under, offerId));
  };
  const answer = await create(under, byCard);
  expect(answer.body).toMatchObject({ return_code: 'S1', status: 'Awaiting Payment' });
  expect(await under.events()).toMatchObject([
    { name: 'OfferCreated', data: { paid: true } },
    { name: 'OfferPaymentApplied', data: { outcome: 'scheduled', paymentMethod: 'E', vatMinor: '200' } },
  ]);
});

/** By card, because billing may take several times as long for a page as for a charge. */
describe('a request that another one takes over', () => {
  it.each(['the client', 'the sweep'] as const)(
    'after the clock was set back by an hour: %s does not wait for an hour',
    async (successor) => {
      const key = randomUUID();
      const { billing } = under.otherServices;
      const sold = pausePoint();
      billing.onSold = async () => {
        billing.onSold = async () => {};
        await sold.step();
      };
      const early = create(under, byCard, { key });
      await sold.reached;
      under.clock.advance(-3_600_000);
      if (successor === 'the sweep') {
        // The sweep would close an unpaid page.
        billing.pay(onlySale().id);
        await under.offers.sweeper.recover();
        expect(await listedIds(under)).toHaveLength(1);
      }
      const answer = await create(under, byCard, { key });
      await expectOneOffer(under, answer, successor === 'the sweep' ? 'paid' : 'open');
      sold.goOn();
      expect(await early).toMatchObject({ status: 409 });
    },
  );

  it.each(['onSale', 'onSold'] as const)('does no harm when it goes on (%s)', async (moment) => {
    const key = randomUUID();
    const { billing } = under.otherServices;
    let successor: Answer | undefined;
    billing[moment] = async () => {
      billing[moment] = async () => {};
      under.clock.advance(LEASE_MS);
      successor = await create(under, byCard, { key });
    };
    expect(await create(under, byCard, { key })).toMatchObject({
      status: 409,
      body: { message: expect.stringMatching(/still being processed/) },
    });
    await expectOneOffer(under, successor!, 'open');
  });

  it('does no harm when the sweep has freed its key and the client has started again with it', async () => {
    const key = randomUUID();
    const { billing } = under.otherServices;
    let successor: Answer | undefined;
    billing.onSale = async () => {
      billing.onSale = async () => {};
      await under.sweepAfter(LEASE_MS + ABANDONED_MS);
      successor = await create(under, byCard, { key });
    };
    expect(await create(under, byCard, { key })).toMatchObject({ status: 409 });
    await expectOneOffer(under, successor!, 'open');
    expect((await create(under, byCard, { key })).body).toEqual(successor?.body);
    expect([...billing.sales.values()].map(({ state }) => state)).toEqual(['closed', 'open']);
  });
});
