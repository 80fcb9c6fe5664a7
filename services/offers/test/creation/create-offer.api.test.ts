/** POST /offers, row by row of the specification's table of codes; further rows are in create-offer-*.api.test.ts. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createReply } from '@offer-ads/contracts/public/api';
import { gif, jpegOfBytes, png } from '@offer-ads/testing/pictures/pictures';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { create, createdId, form, type Parts, startingNow } from '../forms.ts';
import { type OffersUnderTest, startOffersUnderTest } from '../offers-under-test.ts';
import {
  atLeast,
  attemptIn,
  none,
  notBilled,
  nothingBut,
  refusal,
  startAfresh,
  termsNotAccepted,
  tooLow,
  tracesIn,
} from './creating.ts';

const MIB_5 = 5_242_880;

let under: OffersUnderTest;
beforeAll(async () => {
  under = await startOffersUnderTest();
});
afterAll(async () => {
  await under[Symbol.asyncDispose]();
});
beforeEach(() => startAfresh(under));

const traces = () => tracesIn(under);
const attempt = (parts?: Parts, o?: Parameters<typeof create>[2]) => attemptIn(under, parts, o);

describe('S1 200', () => {
  it('method B deducts the price at once and gives Scheduled for a start in the future', async () => {
    const answer = await create(under);
    const { offer_id: id } = createReply.parse(answer.body);
    expect(answer.body).toEqual({ return_code: 'S1', offer_id: id, status: 'Scheduled', payment_url: null });
    expect(under.otherServices.billing.sales.get(id)).toMatchObject({ state: 'charged', netMinor: 1000n });
    expect(answer.headers.get('idempotent-replayed')).toBeNull();
  });

  it('method B gives Active for a start now or up to 60 seconds past', async () => {
    expect((await create(under, startingNow)).body).toMatchObject({ status: 'Active' });
    const past = await create(under, { start_datetime: '2026-06-01T11:59:00Z' });
    expect(past.body).toMatchObject({ status: 'Active' });
  });

  it('method E waits for payment behind a link', async () => {
    const answer = await create(under, { payment_method: 'E' });
    const { offer_id: id } = createReply.parse(answer.body);
    expect(answer.body).toEqual({
      return_code: 'S1',
      offer_id: id,
      status: 'Awaiting Payment',
      payment_url: `http://127.0.0.1/pay/token-of-${id}`,
      currency: 'GBP',
    });
  });

  it('tells the others in one go: an offer, and its payment or its link', async () => {
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
    await createdId(under, { payment_method: 'E' });
    expect(await under.events()).toMatchObject([
      { name: 'OfferCreated', data: { paid: false } },
      { name: 'PaymentLinkIssued', data: { netMinor: '1000', vatMinor: '200', createdBy: 1 } },
    ]);
  });

  it('allows a cost that rounds to nothing by B', async () => {
    Object.assign(under.otherServices.pricing, { costMinor: 0n });
    expect((await create(under)).body).toMatchObject({ return_code: 'S1' });
  });

  it.each([
    ['PNG', () => png()],
    ['GIF', () => gif()],
    ['JPEG of exactly 5 MiB', () => jpegOfBytes(MIB_5)],
  ])('takes a %s', async (_, picture) => {
    expect((await create(under, {}, { picture: await picture() })).body).toMatchObject({ return_code: 'S1' });
  });
});

describe('E1 400: card payment below the minimum', () => {
  it.each([
    ['GBP', 30n, '0.30 GBP'],
    ['USD', 50n, '0.50 USD'],
    ['EUR', 50n, '0.50 EUR'],
    ['CZK', 15_00n, '15.00 CZK'],
  ])('of %s: the minimum itself is enough, a penny less is not', async (currency, minimum, amount) => {
    const caller = { currency };
    Object.assign(under.otherServices.pricing, { costMinor: minimum - 1n });
    const refused = await attempt({ payment_method: 'E' }, { caller });
    expect(refused).toEqual(nothingBut('E1', 400, atLeast(amount)));
    expect((await create(under, {}, { caller })).body).toMatchObject({ return_code: 'S1' });
    Object.assign(under.otherServices.pricing, { costMinor: minimum });
    const paid = await create(under, { payment_method: 'E' }, { caller });
    expect(paid.body).toMatchObject({ return_code: 'S1', currency });
  });

  it('names the minimum and asks nothing of billing', async () => {
    Object.assign(under.otherServices.pricing, { costMinor: 29n });
    expect(await attempt({ payment_method: 'E' })).toEqual(nothingBut('E1', 400, atLeast('0.30 GBP')));
    expect(under.otherServices.moderation.asked).toBe(0);
  });

  it('is the same when the provider refuses what the table allows', async () => {
    under.otherServices.billing.tooSmall = true;
    expect(await attempt({ payment_method: 'E' })).toEqual(nothingBut('E1', 400, atLeast('0.30 GBP')));
  });
});

describe('E1 400: a card payment above what the provider takes', () => {
  const tooMuch = nothingBut('E1', 400, 'A card payment must be at most 999999.99 GBP, VAT included');

  it('when billing says so, with the VAT', async () => {
    Object.assign(under.otherServices.pricing, { costMinor: 99_999_999n });
    under.otherServices.billing.tooLarge = true;
    expect(await attempt({ payment_method: 'E' })).toEqual(tooMuch);
    expect(under.otherServices.moderation.asked).toBe(1);
  });

  it.each([
    ['a penny', 100_000_000n],
    ['more than any database holds', 10n ** 30n],
  ])('by %s without VAT, which asks nothing of anybody', async (_, costMinor) => {
    Object.assign(under.otherServices.pricing, { costMinor });
    expect(await attempt({ payment_method: 'E' })).toEqual(tooMuch);
    expect(under.otherServices.moderation.asked).toBe(0);
  });
});

describe('a card payment in rupiahs', () => {
  const inRupiahs = () => attempt({ payment_method: 'E' }, { caller: { currency: 'IDR' } });

  it('may be far above a million, and is refused above twelve digits', async () => {
    Object.assign(under.otherServices.pricing, { costMinor: 5_000_000_00n });
    expect(await inRupiahs()).toMatchObject({ body: { return_code: 'S1' } });
    Object.assign(under.otherServices.pricing, { costMinor: 1_000_000_000_000n });
    expect(await inRupiahs()).toMatchObject(
      refusal('E1', 400, 'A card payment must be at most 9999999999.99 IDR, VAT included'),
    );
  });
});

describe("E1 403: environment is not the key's mode", () => {
  it.each([
    ['TEST', 'LIVE'],
    ['LIVE', 'TEST'],
  ] as const)("names the key's mode, %s, before any other fault", async (mode, environment) => {
    const wrong = { environment, title: undefined, 'interests[]': ['999'] };
    expect(await attempt(wrong, { caller: { mode } })).toEqual(
      nothingBut('E1', 403, `This key works in ${mode} mode only, environment must be ${mode}`),
    );
    expect(under.otherServices.pricing.asked + under.otherServices.moderation.asked).toBe(0);
  });
});

describe('E2 200: image failed moderation', () => {
  it('says why, creates and charges nothing and frees the key', async () => {
    under.otherServices.moderation.verdict = 'refused';
    const key = randomUUID();
    expect(await create(under, {}, { key })).toMatchObject(
      refusal('E2', 200, 'The image failed moderation: the picture looks explicit'),
    );
    expect(await traces()).toEqual(none);
    under.otherServices.moderation.verdict = 'allowed';
    expect((await create(under, {}, { key })).body).toMatchObject({ return_code: 'S1' });
  });
});

describe('E3 200: balance below the cost', () => {
  it('is told before moderation is asked, and frees the key', async () => {
    under.otherServices.billing.balanceMinor = 9_99n;
    const key = randomUUID();
    expect(await create(under, {}, { key })).toMatchObject(refusal('E3', 200, tooLow));
    expect(under.otherServices.moderation.asked).toBe(0);
    expect(await traces()).toEqual(none);
    under.otherServices.billing.balanceMinor = 10_00n;
    expect((await create(under, {}, { key })).body).toMatchObject({ return_code: 'S1' });
  });

  it('is told with every digit of a cost that no balance can hold', async () => {
    Object.assign(under.otherServices.pricing, { costMinor: 10n ** 30n });
    const digits = `1${'0'.repeat(28)}.00 GBP`;
    expect(await attempt()).toEqual(
      nothingBut('E3', 200, `The balance is below the offer's cost of ${digits}`),
    );
  });

  it('is no matter for a card payment', async () => {
    under.otherServices.billing.balanceMinor = 0n;
    expect((await create(under, { payment_method: 'E' })).body).toMatchObject({ return_code: 'S1' });
  });

  it('is told when the balance is gone by the time of the charge, and closes the id for ever', async () => {
    const ids: number[] = [];
    under.otherServices.billing.onSale = async (offerId) => {
      ids.push(offerId);
      under.otherServices.billing.balanceMinor = 0n;
    };
    expect(await create(under)).toMatchObject(refusal('E3', 200, tooLow));
    expect(await traces()).toEqual(none);
    expect(under.otherServices.billing.sales.get(ids[0]!)).toMatchObject({ state: 'closed' });
    under.otherServices.reset();
    expect(await createdId(under)).toBeGreaterThan(ids[0]!);
  });
});

describe('E4 400: offer quota exceeded', () => {
  it.each([
    ['organisation', { perOrganisation: 1, perPerson: 9 }],
    ['user', { perOrganisation: 9, perPerson: 1 }],
  ])('names limit and use of the %s', async (whose, quota) => {
    await createdId(under, {}, { caller: { quota } });
    const answer = await create(under, {}, { caller: { quota } });
    expect(answer).toMatchObject(
      refusal('E4', 400, `Offer quota exceeded: this ${whose} may have 1 offers at a time and has 1`),
    );
    expect(await under.postgres.query('SELECT offer_id FROM offers')).toHaveLength(1);
  });

  it('does not count what was deleted or has ended, nor the other mode or another organisation', async () => {
    const caller = { quota: { perOrganisation: 1, perPerson: 1 } };
    const deleted = await createdId(under, {}, { caller });
    await under.call('DELETE', `/offers/${deleted}`);
    await createdId(under, { environment: 'LIVE' }, { caller: { ...caller, mode: 'LIVE' } });
    await createdId(under, {}, { caller: { ...caller, organisationId: 2 } });
    expect((await create(under, {}, { caller })).body).toMatchObject({ return_code: 'S1' });
  });
});

describe('E4 400: too many LIVE offers of a day that cost 0.00', () => {
  const live = { caller: { mode: 'LIVE' } } as const;
  const free = () => create(under, { environment: 'LIVE' }, live);
  beforeEach(() => {
    under.otherServices.pricing.costMinor = 0n;
  });
  const tooMany = refusal(
    'E4',
    400,
    'Offer quota exceeded: this organisation may create 10 LIVE offers a day that cost 0.00 and has created 10 today. Let the offer run longer or reach more users, so that it costs at least 0.01, or try again after 00:00 UTC',
  );

  it('says what to do, and deleting them makes no room', async () => {
    for (let count = 0; count < 10; count += 1) {
      const id = await createdId(under, { environment: 'LIVE' }, live);
      if (count < 5) await under.call('DELETE', `/offers/${id}`, live);
    }
    expect(await free()).toMatchObject(tooMany);
    under.otherServices.pricing.costMinor = 1n;
    expect(await free()).toMatchObject({ body: { return_code: 'S1' } });
  });

  it('leaves TEST mode and other organisations alone, and ends with the day', async () => {
    for (let count = 0; count < 10; count += 1) await createdId(under, { environment: 'LIVE' }, live);
    expect(await create(under)).toMatchObject({ body: { return_code: 'S1' } });
    const other = { caller: { mode: 'LIVE', organisationId: 2 } } as const;
    expect(await create(under, { environment: 'LIVE' }, other)).toMatchObject({
      body: { return_code: 'S1' },
    });
    const noon = under.clock.now();
    under.clock.advance(12 * 3_600_000 - 1);
    const tomorrow = {
      environment: 'LIVE',
      start_datetime: '2026-06-02T13:00:00Z',
      expiry_datetime: '2026-06-02T14:00:00Z',
    };
    expect(await create(under, tomorrow, live)).toMatchObject(tooMany);
    under.clock.advance(1);
    const answer = await create(under, tomorrow, live);
    under.clock.set(noon);
    expect(answer).toMatchObject({ body: { return_code: 'S1' } });
  });
});

describe('E5 400: no users match', () => {
  it('creates nothing', async () => {
    Object.assign(under.otherServices.pricing, { matchingUsers: 0, costMinor: 0n });
    expect(await create(under)).toMatchObject(refusal('E5', 400, 'No users match the targeting'));
    expect(await traces()).toEqual(none);
  });
});

describe('E6 400: currency cannot be billed', () => {
  it('contains the code and says that nothing was charged, even when nobody matches', async () => {
    Object.assign(under.otherServices.pricing, { matchingUsers: 0, costMinor: null });
    const answer = await create(under, {}, { caller: { currency: 'JPY' } });
    expect(answer).toMatchObject(refusal('E6', 400, notBilled('JPY')));
    expect(await traces()).toEqual(none);
  });
});

describe('E9 403: terms not accepted', () => {
  it('creates nothing, asks nobody, and the same key works once they are accepted', async () => {
    const key = randomUUID();
    const answer = await create(under, {}, { key, caller: { termsAccepted: false } });
    expect(answer).toMatchObject(refusal('E9', 403, termsNotAccepted));
    expect(under.otherServices.pricing.asked).toBe(0);
    expect(await traces()).toEqual(none);
    expect((await create(under, {}, { key })).body).toMatchObject({ return_code: 'S1' });
  });
});

describe('503 and 500', () => {
  it.each(['pricing', 'moderation', 'billing'] as const)(
    'is 503 with Retry-After when %s is away, and the same key goes on',
    async (service) => {
      const key = randomUUID();
      under.otherServices[service].breaks.beforeWork = 9;
      const answer = await create(under, {}, { key, once: true });
      expect([answer.status, answer.body]).toEqual([503, { message: 'Service unavailable' }]);
      expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      under.otherServices.reset();
      const again = await create(under, {}, { key });
      expect(again).toMatchObject({ status: 200, body: { return_code: 'S1' } });
      expect(under.otherServices.billing.charges()).toBe(1);
    },
  );

  it('is 503 with Retry-After when too many wait for the balance, and keeps no other organisation from charging', async () => {
    under.otherServices.billing.crowded = true;
    // More than would make a breaker open.
    const keys = Array.from({ length: 8 }, () => randomUUID());
    for (const key of keys) {
      const answer = await create(under, {}, { key, once: true });
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
    }
    under.otherServices.billing.crowded = false;
    const other = { caller: { organisationId: 2 }, once: true } as const;
    expect(await create(under, {}, other)).toMatchObject({ body: { return_code: 'S1' } });
    for (const key of keys)
      expect(await create(under, {}, { key })).toMatchObject({ body: { return_code: 'S1' } });
    expect(under.otherServices.billing.charges()).toBe(9);
  });

  it('is 503 with Retry-After at once beyond 64 creations of the organisation, before anybody is asked; the same key works afterwards', async () => {
    const UNDER_WAY = 64;
    const BEYOND = 6;
    const picture = await png();
    const keys = Array.from({ length: UNDER_WAY + BEYOND }, () => randomUUID());
    const refused: string[] = [];
    let asked: Promise<number[]> | undefined;
    // While this holds the quota, none of them comes to its end.
    await under.postgres.transaction(async (tx) => {
      await tx.query("SELECT pg_advisory_xact_lock(hashtextextended('quota/1/TEST', 0))");
      asked = Promise.all(
        keys.map(async (key) => {
          const answer = await create(under, {}, { key, picture, once: true });
          if (answer.status !== 503) return answer.status;
          expect([answer.body, answer.headers.get('retry-after')]).toEqual([
            { message: 'Service unavailable' },
            '1',
          ]);
          refused.push(key);
          return answer.status;
        }),
      );
      await eventually(() => expect(refused).toHaveLength(BEYOND));
      await eventually(() => expect(under.otherServices.moderation.asked).toBe(UNDER_WAY));
      expect(await traces()).toMatchObject({ offers: 0, keys: UNDER_WAY, charges: 0, events: 0 });
      const other = { caller: { organisationId: 2 }, picture, once: true } as const;
      expect(await create(under, {}, other)).toMatchObject({ body: { return_code: 'S1' } });
    });
    const count = (status: number, of: readonly number[]) => of.filter((given) => given === status).length;
    const statuses = (await asked) ?? [];
    expect([count(200, statuses), count(503, statuses)]).toEqual([UNDER_WAY, BEYOND]);
    expect(await traces()).toMatchObject({ offers: UNDER_WAY + 1, charges: UNDER_WAY + 1 });
    for (const key of refused)
      expect(await create(under, {}, { key, picture })).toMatchObject({ body: { return_code: 'S1' } });
    expect(await traces()).toMatchObject({ offers: keys.length + 1, charges: keys.length + 1 });
  });

  it('is 500 without any detail when something is broken, and creates and charges nothing', async () => {
    await under.postgres.query('ALTER TABLE categories RENAME TO categories_away');
    const answer = await create(under);
    await under.postgres.query('ALTER TABLE categories_away RENAME TO categories');
    expect([answer.status, answer.body]).toEqual([500, { message: 'Internal server error' }]);
    expect(await traces()).toMatchObject({ offers: 0, charges: 0, events: 0 });
  });
});

describe('401', () => {
  it('without a signed caller context', async () => {
    const answer = await under.call('POST', '/offers', {
      body: await form(),
      headers: { 'x-caller-context': 'x' },
    });
    expect(answer.status).toBe(401);
    expect(answer.body).toEqual({ message: 'Unauthorised' });
  });
});
