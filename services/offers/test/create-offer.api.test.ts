/** POST /offers, row by row of the specification's table of codes. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createReply } from '@offer-ads/contracts/public-api';
import { gif, jpegOfBytes, manyPixelPng, png } from '@offer-ads/testing/pictures';
import { create, createdId, form, type Parts, startingNow, usualParts } from './forms.ts';
import { type Answer, type OffersUnderTest, startOffersUnderTest } from './offers-under-test.ts';

const MIB_5 = 5_242_880;

let under: OffersUnderTest;
beforeAll(async () => {
  under = await startOffersUnderTest();
});
afterAll(async () => {
  await under[Symbol.asyncDispose]();
});
beforeEach(async () => {
  under.neighbours.reset();
  await under.postgres.query('DELETE FROM idempotency_keys');
  await under.postgres.query('DELETE FROM offers');
  await under.clearEvents();
});

/** What creations have left behind. */
async function traces(): Promise<Record<'offers' | 'keys' | 'charges' | 'events', number>> {
  return {
    offers: (await under.postgres.query('SELECT 1 FROM offers')).length,
    keys: (await under.postgres.query('SELECT 1 FROM idempotency_keys')).length,
    charges: under.neighbours.billing.charges(),
    events: (await under.events()).length,
  };
}
const none = { offers: 0, keys: 0, charges: 0, events: 0 };

function refusal(code: string, status: number, message: RegExp) {
  const body = { return_code: code, status: 'Error', code: status, message: expect.stringMatching(message) };
  return { status, body };
}

/** A creation and what is left of it. */
async function attempt(...[parts, o]: [parts?: Parts, o?: Parameters<typeof create>[2]]) {
  const { status, body } = await create(under, parts, o);
  return { status, body, left: await traces() };
}

function nothingBut(code: string, status: number, message: RegExp) {
  return { ...refusal(code, status, message), left: none };
}

describe('S1 200', () => {
  it('method B deducts the price at once and gives Scheduled for a start in the future', async () => {
    const answer = await create(under);
    const { offer_id: id } = createReply.parse(answer.body);
    expect(answer.body).toEqual({ return_code: 'S1', offer_id: id, status: 'Scheduled', payment_url: null });
    expect(under.neighbours.billing.sales.get(id)).toMatchObject({ state: 'charged', netMinor: 1000n });
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
    Object.assign(under.neighbours.pricing, { costMinor: 0n });
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

describe('E1 400: invalid or missing input', () => {
  it('names every fault in one message', async () => {
    expect(
      await attempt({
        title: undefined,
        radius: '31',
        'gender[]': ['Robot'],
        expiry_datetime: '2026-06-01T13:00:59Z',
      }),
    ).toEqual(
      nothingBut(
        'E1',
        400,
        /title is missing.*radius must.*gender\[\] must.*expiry_datetime must be at least 60 seconds/,
      ),
    );
  });

  it.each([
    ['category_id', '999'],
    ['category_id', '2'],
    ['category_id', '3'],
    ['interests[]', ['1', '999']],
    ['interests[]', ['3']],
    ['environment', 'test'],
    ['environment', undefined],
  ])('refuses %s = %j', async (name, value) => {
    expect(await attempt({ [name]: value })).toEqual(
      nothingBut('E1', 400, new RegExp(name.replace('[]', ''))),
    );
  });

  it('refuses a picture that is missing, too large, of another type, or a decompression bomb', async () => {
    expect(await attempt({}, { picture: null })).toEqual(nothingBut('E1', 400, /image is missing/));
    expect(await attempt({}, { picture: Buffer.alloc(0) })).toEqual(
      nothingBut('E1', 400, /image is missing/),
    );
    expect(await attempt({}, { picture: await jpegOfBytes(MIB_5 + 1) })).toEqual(
      nothingBut('E1', 400, /at most 5 MB/),
    );
    expect(await attempt({}, { picture: Buffer.alloc(10_000_000) })).toEqual(
      nothingBut('E1', 400, /at most 5 MB/),
    );
    expect(
      await attempt(
        {},
        {
          picture: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
        },
      ),
    ).toEqual(nothingBut('E1', 400, /JPG, PNG or GIF/));
    expect(await attempt({}, { picture: await manyPixelPng() })).toEqual(
      nothingBut('E1', 400, /50 megapixels/),
    );
  });

  it('refuses a picture that moderation cannot read', async () => {
    under.neighbours.moderation.verdict = 'unreadable';
    expect(await attempt({})).toEqual(nothingBut('E1', 400, /image must be a whole/));
  });

  it('refuses single fields that are repeated', async () => {
    expect(await attempt({ title: ['a', 'b'], environment: ['TEST', 'LIVE'] })).toEqual(
      nothingBut('E1', 400, /title must be sent once; environment must/),
    );
  });

  it('refuses a second picture, a picture as text, and a file in the place of a text', async () => {
    const twice = await form();
    twice.append('image', new Blob(['x']), 'b.jpg');
    const asText = await form({ image: 'x' }, null);
    const titleAsFile = await form({ title: undefined });
    titleAsFile.append('title', new Blob(['x']), 'title.txt');
    for (const [body, message] of [
      [twice, /image must be sent once/],
      [asText, /image must be sent as a file/],
      [titleAsFile, /title must not be a file/],
    ] as const) {
      const answer = await under.call('POST', '/offers', { body, headers: { 'Idempotency-Key': 'k' } });
      expect(answer).toMatchObject(refusal('E1', 400, message));
    }
    expect(await traces()).toEqual(none);
  });

  it('refuses another content type and a multipart body that is not one', async () => {
    const post = (body: string, contentType: string) =>
      under.call('POST', '/offers', {
        body,
        headers: { 'Idempotency-Key': 'k', 'content-type': contentType },
      });
    expect(await post('{}', 'application/json')).toMatchObject(refusal('E1', 400, /multipart\/form-data/));
    expect(await post('x', 'multipart/form-data')).toMatchObject(refusal('E1', 400, /boundary/));
    expect(await post('x', 'multipart/form-data; boundary=b')).toMatchObject(
      refusal('E1', 400, /not complete/),
    );
    expect(
      await post(
        '--b\r\nContent-Disposition: form-data; name="title"\r\n\r\nhal',
        'multipart/form-data; boundary=b',
      ),
    ).toMatchObject(refusal('E1', 400, /not complete/));
    expect(await traces()).toEqual(none);
  });

  it('refuses more parts than a form can have', async () => {
    expect(await attempt({ 'interests[]': Array.from({ length: 700 }, () => '1') })).toEqual(
      nothingBut('E1', 400, /at most 600 parts/),
    );
  });
});

describe('the limits of the specification', () => {
  /** As the list shows it to who created it. */
  async function listed(parts: Parts): Promise<Record<string, unknown>> {
    const offer_id = await createdId(under, parts);
    const { body } = await under.call('GET', '/offers?environment=test');
    const { data } = body as { data: Record<string, unknown>[] };
    return data.find((offer) => offer['offer_id'] === offer_id) ?? {};
  }

  it.each([
    ['title', 40],
    ['description', 500],
    ['terms_and_conditions', 500],
    ['advertised_name', 100],
  ])('%s: %i characters, each one as people count them, and no more', async (name, most) => {
    // Two UTF-16 units and four bytes each.
    const longest = `${'\u{1F375}'.repeat(most - 1)}!`;
    expect(await attempt({ [name]: `${longest}!` })).toEqual(
      nothingBut('E1', 400, new RegExp(`^${name} must .*${most} characters`)),
    );
    expect((await listed({ [name]: longest }))[name]).toBe(longest);
  });

  it('radius: 5 to 30 miles', async () => {
    for (const radius of ['4', '31', '4.999', '30.001', '-5', ''])
      expect([radius, await attempt({ radius })]).toEqual([radius, nothingBut('E1', 400, /^radius /)]);
    for (const radius of [5, 30]) expect(await listed({ radius: `${radius}` })).toMatchObject({ radius });
  });

  it('duration: at least 60 seconds', async () => {
    const start_datetime = '2026-06-01T13:00:00Z';
    expect(await attempt({ start_datetime, expiry_datetime: '2026-06-01T13:00:59.999Z' })).toEqual(
      nothingBut('E1', 400, /expiry_datetime must be at least 60 seconds/),
    );
    expect(await listed({ start_datetime, expiry_datetime: '2026-06-01T13:01:00Z' })).toMatchObject({
      expiry_datetime: '2026-06-01T13:01:00.000Z',
    });
  });
});

describe('E1 400: start more than 60 seconds in the past', () => {
  it('creates and charges nothing', async () => {
    expect(await attempt({ start_datetime: '2026-06-01T11:58:59.999Z' })).toEqual(
      nothingBut('E1', 400, /60 seconds in the past/),
    );
  });
});

describe('E1 400: card payment below the minimum', () => {
  it('names the minimum and asks nothing of billing', async () => {
    Object.assign(under.neighbours.pricing, { costMinor: 29n });
    expect(await attempt({ payment_method: 'E' })).toEqual(nothingBut('E1', 400, /0\.30 GBP/));
    expect(under.neighbours.moderation.asked).toBe(0);
  });

  it('is the same when the provider refuses what the table allows', async () => {
    under.neighbours.billing.tooSmall = true;
    expect(await attempt({ payment_method: 'E' })).toEqual(nothingBut('E1', 400, /0\.30 GBP/));
  });
});

describe('E1 400: Idempotency-Key', () => {
  it('missing, or not 1 to 255 printable characters without spaces', async () => {
    const missing = await under.call('POST', '/offers', { body: await form() });
    expect(missing).toMatchObject(refusal('E1', 400, /Idempotency-Key header is missing/));
    expect(await create(under, {}, { key: 'a b' })).toMatchObject(
      refusal('E1', 400, /Idempotency-Key must be/),
    );
    expect(await create(under, {}, { key: 'x'.repeat(256) })).toMatchObject(
      refusal('E1', 400, /Idempotency-Key must be/),
    );
    expect(await traces()).toEqual(none);
  });
});

describe("E1 403: environment is not the key's mode", () => {
  it.each([
    ['TEST', 'LIVE'],
    ['LIVE', 'TEST'],
  ] as const)("names the key's mode, %s, before any other fault", async (mode, environment) => {
    const wrong = { environment, title: undefined, 'interests[]': ['999'] };
    expect(await attempt(wrong, { caller: { mode } })).toEqual(
      nothingBut('E1', 403, new RegExp(`works in ${mode} mode only`)),
    );
    expect(under.neighbours.pricing.asked + under.neighbours.moderation.asked).toBe(0);
  });
});

describe('E2 200: image failed moderation', () => {
  it('creates and charges nothing and frees the key', async () => {
    under.neighbours.moderation.verdict = 'refused';
    const key = randomUUID();
    expect(await create(under, {}, { key })).toMatchObject(refusal('E2', 200, /moderation/));
    expect(await traces()).toEqual(none);
    under.neighbours.moderation.verdict = 'allowed';
    expect((await create(under, {}, { key })).body).toMatchObject({ return_code: 'S1' });
  });
});

describe('E3 200: balance below the cost', () => {
  it('is told before moderation is asked, and frees the key', async () => {
    under.neighbours.billing.balanceMinor = 9_99n;
    const key = randomUUID();
    expect(await create(under, {}, { key })).toMatchObject(refusal('E3', 200, /10\.00 GBP/));
    expect(under.neighbours.moderation.asked).toBe(0);
    expect(await traces()).toEqual(none);
    under.neighbours.billing.balanceMinor = 10_00n;
    expect((await create(under, {}, { key })).body).toMatchObject({ return_code: 'S1' });
  });

  it('is no matter for a card payment', async () => {
    under.neighbours.billing.balanceMinor = 0n;
    expect((await create(under, { payment_method: 'E' })).body).toMatchObject({ return_code: 'S1' });
  });

  it('is told when the balance is gone by the time of the charge, and closes the id for ever', async () => {
    const ids: number[] = [];
    under.neighbours.billing.onSale = async (offerId) => {
      ids.push(offerId);
      under.neighbours.billing.balanceMinor = 0n;
    };
    expect(await create(under)).toMatchObject(refusal('E3', 200, /balance/));
    expect(await traces()).toEqual(none);
    expect(under.neighbours.billing.sales.get(ids[0]!)).toMatchObject({ state: 'closed' });
    under.neighbours.reset();
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
      refusal('E4', 400, new RegExp(`${whose} may have 1 offers at a time and has 1`)),
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

describe('E5 400: no users match', () => {
  it('creates nothing', async () => {
    Object.assign(under.neighbours.pricing, { matchingUsers: 0, costMinor: 0n });
    expect(await create(under)).toMatchObject(refusal('E5', 400, /No users match/));
    expect(await traces()).toEqual(none);
  });
});

describe('E6 400: currency cannot be billed', () => {
  it('contains the code and says that nothing was charged, even when nobody matches', async () => {
    Object.assign(under.neighbours.pricing, { matchingUsers: 0, costMinor: null });
    const answer = await create(under, {}, { caller: { currency: 'JPY' } });
    expect(answer).toMatchObject(refusal('E6', 400, /JPY.*not charged/));
    expect(await traces()).toEqual(none);
  });
});

describe('E9 403: terms not accepted', () => {
  it('creates nothing, asks nobody, and the same key works once they are accepted', async () => {
    const key = randomUUID();
    const answer = await create(under, {}, { key, caller: { termsAccepted: false } });
    expect(answer).toMatchObject(refusal('E9', 403, /terms/));
    expect(under.neighbours.pricing.asked).toBe(0);
    expect(await traces()).toEqual(none);
    expect((await create(under, {}, { key })).body).toMatchObject({ return_code: 'S1' });
  });
});

describe('replay', () => {
  it('gives the original reply unchanged and creates nothing', async () => {
    const key = randomUUID();
    const first = await create(under, { payment_method: 'E' }, { key });
    const again = await create(under, { payment_method: 'E' }, { key });
    expect(again.body).toEqual(first.body);
    expect(again.status).toBe(200);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(under.neighbours.billing.sales.size).toBe(1);
    expect(under.neighbours.pricing.asked).toBe(1);
  });

  it('still answers after the start has passed, the terms have changed, or the offer was deleted', async () => {
    const key = randomUUID();
    const first = await create(under, {}, { key });
    await under.call('DELETE', `/offers/${(first.body as { offer_id: number }).offer_id}`);
    under.clock.advance(400 * 86_400_000);
    const again = await create(under, {}, { key, caller: { termsAccepted: false } });
    under.clock.set('2026-06-01T12:00:00Z');
    expect(again.body).toEqual(first.body);
  });

  it('takes fields in another order for the same payload', async () => {
    const key = randomUUID();
    const first = await create(under, {}, { key });
    const reversed = new FormData();
    for (const [name, value] of [...(await form())].toReversed().filter(([name]) => name !== 'location[]')) {
      reversed.append(name, value);
    }
    for (const degrees of usualParts['location[]'] as string[]) reversed.append('location[]', degrees);
    const again = await under.call('POST', '/offers', {
      body: reversed,
      headers: { 'Idempotency-Key': key },
    });
    expect(again.body).toEqual(first.body);
  });

  it('keeps the keys of organisations and modes apart', async () => {
    const key = randomUUID();
    const ids = new Set([
      await createdId(under, {}, { key }),
      await createdId(under, {}, { key, caller: { organisationId: 2 } }),
      await createdId(under, { environment: 'LIVE' }, { key, caller: { mode: 'LIVE' } }),
    ]);
    expect(ids.size).toBe(3);
  });
});

describe('422: key reused with a different payload', () => {
  it.each([
    ['a field', { title: 'Three for one' }, undefined],
    ['an unknown field', { extra: 'x' }, undefined],
    ['the picture', {}, () => png()],
  ])('when %s differs', async (_, parts, picture) => {
    const key = randomUUID();
    await createdId(under, {}, { key });
    const answer = await create(under, parts, { key, ...(picture && { picture: await picture() }) });
    expect(answer.status).toBe(422);
    expect(answer.body).toEqual({ message: expect.stringMatching(/different payload/) });
  });
});

describe('while the first request is in flight', () => {
  it('the same payload is 409 with Retry-After and a different one 422', async () => {
    const key = randomUUID();
    const others: Promise<Answer[]>[] = [];
    under.neighbours.billing.onSale = async () => {
      const racing = Promise.all([create(under, {}, { key }), create(under, { title: 'Other' }, { key })]);
      others.push(racing);
      await racing;
    };
    expect((await create(under, {}, { key })).body).toMatchObject({ return_code: 'S1' });
    const [same, different] = (await others[0])!;
    expect(same!.status).toBe(409);
    expect(same!.body).toEqual({ message: expect.stringMatching(/still being processed/) });
    expect(same!.headers.get('retry-after')).toBe('1');
    expect(different!.status).toBe(422);
    expect(under.neighbours.billing.charges()).toBe(1);
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
