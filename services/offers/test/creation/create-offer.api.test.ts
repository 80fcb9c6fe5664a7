/** POST /offers, row by row of the specification's table of codes; keys are in create-offer-keys.api.test.ts. */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createReply } from '@offer-ads/contracts/public/api';
import { byField, offerTextFacts } from '@offer-ads/contracts/values/offer-texts';
import { gif, jpegOfBytes, png } from '@offer-ads/testing/pictures/pictures';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { quotedMinor } from '../fake-services.ts';
import { byCard, type CreateOptions, create, createdId, live, type Parts, startingNow } from '../forms.ts';
import { offersUnderTest } from '../offers-under-test.ts';
import { created, expectUnavailable, nothing, tracesIn, whileQuotaIsLocked } from './creating.ts';
import {
  attempt,
  because,
  coded,
  keyOfAnotherPayload,
  maximumIs,
  minimumIs,
  refusedByOthers,
  refusedCreations,
  refusedRequests,
} from './refusals.ts';

const MIB_5 = 5_242_880;
const HOUR = 3_600_000;

const under = offersUnderTest();

function priceIs(costMinor: bigint): void {
  under.otherServices.pricing.costMinor = costMinor;
}

/** Refused with this reply, and nothing is left of it. */
async function expectRefused(reply: object, parts?: Parts, o?: CreateOptions): Promise<void> {
  const { status, body } = await create(under, parts, o);
  expect({ status, body, left: await tracesIn(under) }).toEqual({ ...reply, left: nothing });
}

describe('S1 200', () => {
  it('method B charges the price at once and is Scheduled for a start in the future', async () => {
    const answer = await create(under);
    const { offer_id: id } = createReply.parse(answer.body);
    expect(answer.body).toEqual({ return_code: 'S1', offer_id: id, status: 'Scheduled', payment_url: null });
    expect(under.otherServices.billing.sales.get(id)).toMatchObject({ state: 'charged', netMinor: 1000n });
    expect(answer.headers.get('idempotent-replayed')).toBeNull();
  });

  it('method B is Active for a start now or up to 60 seconds past', async () => {
    for (const start_datetime of ['2026-06-01T12:00:00Z', '2026-06-01T11:59:00Z'])
      expect((await create(under, { start_datetime })).body).toMatchObject({ status: 'Active' });
  });

  it('method E awaits payment behind a link', async () => {
    const answer = await create(under, byCard);
    const { offer_id: id } = createReply.parse(answer.body);
    expect(answer.body).toEqual({
      return_code: 'S1',
      offer_id: id,
      status: 'Awaiting Payment',
      payment_url: `http://127.0.0.1/pay/token-of-${id}`,
      currency: 'GBP',
    });
  });

  it('writes two events: the offer, and its payment or its link', async () => {
    const id = await createdId(under, startingNow);
    expect(await under.events()).toMatchObject([
      {
        name: 'OfferCreated',
        subjectVersion: 1,
        data: { offerId: id, advertisedName: 'Corner Cafe', paid: true },
      },
      {
        name: 'OfferPaymentApplied',
        subjectVersion: 2,
        data: { paymentMethod: 'B', netMinor: '1000', vatMinor: '0', outcome: 'active', unusedMs: 0 },
      },
    ]);
    await under.clearEvents();
    await createdId(under, byCard);
    expect(await under.events()).toMatchObject([
      { name: 'OfferCreated', data: { paid: false } },
      { name: 'PaymentLinkIssued', data: { netMinor: '1000', vatMinor: '200', createdBy: 1 } },
    ]);
  });

  it('an offer that is over when it is created is credited in full', async () => {
    const parts = { start_datetime: '2026-06-01T11:59:00Z', expiry_datetime: '2026-06-01T12:00:00Z' };
    expect(await create(under, parts)).toMatchObject(created);
    // It never ran (decisions 6, Unused Time, and 7, late card payments).
    expect((await under.events())[1]?.data).toMatchObject({ outcome: 'ended', unusedMs: 60_000 });
  });

  it('every field is stored and listed as it was sent, at its limits', async () => {
    // Two UTF-16 units and four bytes each.
    const emojis = (count: number) => '\u{1F375}'.repeat(count);
    const texts = {
      ...byField((_text, { atMost }) => emojis(atMost)),
      description: `  <b>as</b>\tit is \u05d0 ${emojis(480)}`,
      url: `https://cafe.example/${emojis(168)}`,
    };
    await createdId(under, {
      ...texts,
      'location[]': ['-90', '180'],
      radius: '30',
      'gender[]': ['Non-binary', 'Male', 'Male'],
      // All others are 15 parts and the texts, of 600.
      'interests[]': Array.from({ length: 585 - offerTextFacts.length }, (_, index) =>
        index === 0 ? '2' : '1',
      ),
      start_datetime: '2026-06-01T14:30:00.1234+02:00',
      expiry_datetime: '2026-06-01T12:31:00.123Z',
      // Unknown parts are ignored.
      note: 'x',
      constructor: 'x',
    });
    const { body } = await under.call('GET', '/offers?environment=test');
    expect((body as { data: unknown[] }).data).toMatchObject([
      {
        ...texts,
        latitude: -90,
        longitude: 180,
        radius: 30,
        gender: ['Male', 'Non-binary'],
        interests: [
          { interest_id: 1, interest_name: 'Hiking' },
          { interest_id: 2, interest_name: 'Cooking' },
        ],
        start_datetime: '2026-06-01T12:30:00.123Z',
        expiry_datetime: '2026-06-01T12:31:00.123Z',
      },
    ]);
  });

  it.each([
    ['PNG', () => png()],
    ['GIF', () => gif()],
    ['JPEG of exactly 5 MiB', () => jpegOfBytes(MIB_5)],
  ])('a picture may be a %s', async (_, picture) => {
    expect(await create(under, {}, { picture: await picture() })).toMatchObject(created);
  });
});

describe('with a quote', () => {
  const quote_id = 'a.quote';

  it.each(['B', 'E'])(
    'the quoted price is charged, whatever the price of now is (%s)',
    async (payment_method) => {
      priceIs(99_99n);
      const id = await createdId(under, { payment_method, quote_id });
      expect(under.otherServices.billing.sales.get(id)).toMatchObject({ netMinor: quotedMinor });
      const [offer] = await under.postgres.query('SELECT net_minor FROM offers WHERE offer_id = $1', [id]);
      expect(offer).toEqual({ net_minor: quotedMinor });
      const [, payment] = await under.events();
      expect(payment?.data).toMatchObject({ netMinor: `${quotedMinor}` });
      // Pricing was asked once, about the quote alone.
      expect(under.otherServices.pricing.asked).toBe(1);
      expect(under.otherServices.pricing.quoteAsked).toEqual({
        quoteId: quote_id,
        receivedAt: '2026-06-01T12:00:00.000Z',
        startAt: '2026-06-01T13:00:00.000Z',
        endAt: '2026-06-01T23:00:00.000Z',
        latitude: 51.5074,
        longitude: -0.1278,
        radiusMiles: 10,
        gender: [],
        interests: [],
      });
    },
  );

  it('neither E5 nor E6 comes although nobody matches now and the currency cannot be billed now', async () => {
    Object.assign(under.otherServices.pricing, { costMinor: null, matchingUsers: 0 });
    expect(await create(under, { quote_id })).toMatchObject(created);
  });

  it('the quoted price is compared with the balance', async () => {
    Object.assign(under.otherServices.billing, { balanceMinor: quotedMinor - 1n });
    expect((await create(under, { quote_id })).body).toMatchObject({
      return_code: 'E3',
      message: 'The balance is below the cost of 7.77 GBP',
    });
  });

  it('a creation whose charge went unanswered is finished at the quoted price after the quote has expired', async () => {
    const key = randomUUID();
    under.otherServices.billing.breaks.afterWork = 9;
    expectUnavailable(await create(under, { quote_id }, { key, once: true }));
    under.otherServices.billing.breaks.afterWork = 0;
    under.clock.set('2026-06-01T12:10:00Z');
    under.otherServices.pricing.quoteRefusal = { outcome: 'refused', reason: 'expired' };
    const id = await createdId(under, { quote_id }, { key });
    expect([...under.otherServices.billing.sales]).toMatchObject([[id, { netMinor: quotedMinor }]]);
  });
});

describe('each refusal has its own reply, leaves nothing behind, and does not use up the key', () => {
  const reasons = [...refusedRequests, ...refusedCreations, ...refusedByOthers];
  it.each(reasons.filter(({ name }) => name !== 'a key of another payload'))('$name', async (reason) => {
    const key = randomUUID();
    const { status, body } = await attempt(under, reason.only ?? 'B', key, [reason]);
    expect({ status, body, left: await tracesIn(under) }).toEqual({ ...reason.reply, left: nothing });
    under.otherServices.reset();
    const corrected = await create(under, { title: 'Corrected' }, { key });
    expect(corrected).toMatchObject(created);
    expect(corrected.headers.get('idempotent-replayed')).toBeNull();
  });
});

describe('a request that could be refused for several reasons', () => {
  const order = [...refusedRequests, ...refusedCreations];
  it.each(['E', 'B'] as const)(
    'is refused for the first of them in the order of checks (%s)',
    async (method) => {
      await createdId(under, {}, { key: keyOfAnotherPayload });
      await under.clearEvents();
      const reasons = order.filter(({ only = method }) => only === method);
      for (const [step, { name, reply }] of reasons.entries()) {
        under.otherServices.reset();
        const { status, body } = await attempt(under, method, randomUUID(), reasons.slice(step));
        expect({ name, status, body }).toEqual({ name, ...reply });
        // Pricing is asked only after all checks without it, and moderation, which is the slowest, after all others.
        const { pricing, moderation } = under.otherServices;
        const isPriced =
          step >= reasons.findIndex((reason) => reason.name === 'a quote that pricing did not give');
        expect([name, pricing.asked, moderation.asked]).toEqual([
          name,
          isPriced ? 1 : 0,
          step === reasons.length - 1 ? 1 : 0,
        ]);
      }
      expect(await tracesIn(under)).toEqual({ offers: 1, keys: 1, sales: 0, events: 0 });
    },
  );
});

it('a refusal of an earlier check needs no answer of a later one', async () => {
  under.otherServices.billing.breaks.beforeWork = 9;
  const caller = { quota: { perPerson: 0, perOrganisation: 0 } };
  expect((await create(under, {}, { caller, once: true })).body).toMatchObject({ return_code: 'E4' });
});

it('E1 400: a picture that is empty is missing', async () => {
  await expectRefused(coded('E1', 400, 'image is missing'), {}, { picture: Buffer.alloc(0) });
});

describe('E1 400: card payment below the minimum or above the maximum', () => {
  it('the minimum of the currency is enough, a penny less is not', async () => {
    const caller = { currency: 'CZK' };
    priceIs(14_99n);
    await expectRefused(minimumIs(15_00n, 'CZK'), byCard, { caller });
    expect(await create(under, {}, { caller })).toMatchObject(created);
    priceIs(15_00n);
    expect(await create(under, byCard, { caller })).toMatchObject(created);
  });

  it.each([
    ['GBP', 100_000_000n, 999_999_99n],
    ['IDR', 1_000_000_000_000n, 9_999_999_999_99n],
  ])(
    'a price in %s of %d without VAT is refused before the picture is judged',
    async (currency, price, maximum) => {
      priceIs(price);
      await expectRefused(maximumIs(maximum, currency), byCard, { caller: { currency } });
      expect(under.otherServices.moderation.asked).toBe(0);
      priceIs(5_000_000_00n);
      expect(await create(under, byCard, { caller: { currency: 'IDR' } })).toMatchObject(created);
    },
  );
});

describe('E3 200: balance below the cost', () => {
  it('the message has every digit of a cost that no balance can hold', async () => {
    priceIs(10n ** 30n);
    const cost = `1${'0'.repeat(28)}.00 GBP`;
    await expectRefused(coded('E3', 200, `The balance is below the cost of ${cost}`));
  });

  it('never happens for a card payment, nor for a cost that rounds to 0.00', async () => {
    under.otherServices.billing.balanceMinor = 0n;
    expect(await create(under, byCard)).toMatchObject(created);
    priceIs(0n);
    expect(await create(under)).toMatchObject(created);
  });
});

describe('E4 400: offer quota exceeded', () => {
  it.each([
    ['organisation', { perOrganisation: 1, perPerson: 9 }],
    ['user', { perOrganisation: 9, perPerson: 1 }],
  ])('counts the offers of the %s that are neither deleted nor ended, in the mode', async (whose, quota) => {
    const caller = { quota };
    const deleted = await createdId(under, {}, { caller });
    const exceeded = `Offer quota exceeded: this ${whose} may have 1 offers at a time and has 1`;
    expect(await create(under, {}, { caller })).toMatchObject(coded('E4', 400, exceeded));
    await under.call('DELETE', `/offers/${deleted}`);
    await createdId(under, live[0], { caller: { ...caller, mode: 'LIVE' } });
    await createdId(under, {}, { caller: { ...caller, organisationId: 2 } });
    await createdId(under, { expiry_datetime: '2026-06-01T13:01:00Z' }, { caller });
    expect(await create(under, {}, { caller })).toMatchObject(coded('E4', 400, exceeded));
    under.clock.set('2026-06-01T13:01:00Z');
    const later = { start_datetime: '2026-06-01T14:00:00Z' };
    expect(await create(under, later, { caller })).toMatchObject(created);
  });
});

describe('E4 400: too many LIVE offers of a day that cost 0.00', () => {
  const tooMany = because({ reason: 'free-quota-exceeded', limit: 10, created: 10 });
  beforeEach(async () => {
    priceIs(0n);
    const ids = await Promise.all(Array.from({ length: 10 }, () => createdId(under, ...live)));
    for (const id of ids.slice(5)) await under.call('DELETE', `/offers/${id}`, live[1]);
  });

  it('the message says what to do, and deleting them makes no room', async () => {
    expect(await create(under, ...live)).toMatchObject(tooMany);
    priceIs(1n);
    expect(await create(under, ...live)).toMatchObject(created);
  });

  it('TEST mode and other organisations are not affected, and the next day begins at 00:00 UTC', async () => {
    expect(await create(under)).toMatchObject(created);
    expect(await create(under, live[0], { caller: { mode: 'LIVE', organisationId: 2 } })).toMatchObject(
      created,
    );
    const tomorrow = {
      ...live[0],
      start_datetime: '2026-06-02T13:00:00Z',
      expiry_datetime: '2026-06-02T14:00:00Z',
    };
    under.clock.advance(12 * HOUR - 1);
    expect(await create(under, tomorrow, live[1])).toMatchObject(tooMany);
    under.clock.advance(1);
    expect(await create(under, tomorrow, live[1])).toMatchObject(created);
  });
});

describe('503', () => {
  it('with Retry-After when too many charges of the balance wait, which keeps no other organisation from charging', async () => {
    under.otherServices.billing.crowded = true;
    // More than would make a breaker open.
    const keys = Array.from({ length: 8 }, () => randomUUID());
    for (const key of keys) {
      const answer = await create(under, {}, { key, once: true });
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
    }
    under.otherServices.billing.crowded = false;
    const other = { caller: { organisationId: 2 }, once: true } as const;
    expect(await create(under, {}, other)).toMatchObject(created);
    for (const key of keys) expect(await create(under, {}, { key })).toMatchObject(created);
    expect(under.otherServices.billing.charges()).toBe(9);
  });

  it('is told 503 with Retry-After at once beyond 64 creations of the organisation, and the same key works afterwards', async () => {
    const RUNNING = 64;
    const BEYOND = 6;
    const picture = await png();
    const keys = Array.from({ length: RUNNING + BEYOND }, () => randomUUID());
    const refused: string[] = [];
    const takenTooLong = new Set<string>();
    const createOrRefuse = async (key: string) => {
      for (;;) {
        const answer = await create(under, {}, { key, picture, once: true });
        if (answer.status === 200) return;
        expectUnavailable(answer);
        if (answer.headers.get('retry-after') === '1') return void refused.push(key);
        // Any other 503 comes from a busy machine, and is asked again; its key may stay.
        takenTooLong.add(key);
      }
    };
    const { running } = await whileQuotaIsLocked(under, async () => {
      const running = Promise.all(keys.map(createOrRefuse));
      await eventually(() => expect(refused).toHaveLength(BEYOND));
      await eventually(() => expect(under.otherServices.moderation.asked).toBeGreaterThanOrEqual(RUNNING));
      const { keys: stored, ...others } = await tracesIn(under);
      expect({ ...others, keys: 0 }).toEqual(nothing);
      const refusedLater = refused.filter((key) => takenTooLong.has(key)).length;
      expect([stored >= RUNNING, stored <= RUNNING + refusedLater]).toEqual([true, true]);
      const other = { caller: { organisationId: 2 }, picture } as const;
      expect(await create(under, {}, other)).toMatchObject(created);
      return { running };
    });
    await running;
    expect(await tracesIn(under)).toMatchObject({ offers: RUNNING + 1, sales: RUNNING + 1 });
    for (const key of refused) expect(await create(under, {}, { key, picture })).toMatchObject(created);
    expect(await tracesIn(under)).toMatchObject({ offers: keys.length + 1, sales: keys.length + 1 });
  });
});
