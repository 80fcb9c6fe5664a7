/** POST /offers, row by row of the specification's table of codes. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { CallerContext } from '@offer-ads/contracts/caller-context';
import { createReply } from '@offer-ads/contracts/public-api';
import { signedCaller } from '@offer-ads/testing/caller';
import { gif, jpegOfBytes, manyPixelPng, png } from '@offer-ads/testing/pictures';
import {
  categoryRule,
  fields,
  genderRule,
  instant,
  interestRule,
  place,
  radiusRule,
  type Sent,
  urlRule,
} from './create-fields.ts';
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

/** The whole body (decision 19); a text is the whole message. */
function refusal(code: string, status: number, message: string | RegExp) {
  const words = typeof message === 'string' ? message : expect.stringMatching(message);
  return { status, body: { return_code: code, status: 'Error', code: status, message: words } };
}

const malformedKey = 'Idempotency-Key must be 1 to 255 printable ASCII characters without spaces';
const tooLow = "The balance is below the offer's cost of 10.00 GBP";
const termsNotAccepted =
  'The organisation has not accepted the current advertising terms. An organisation admin must accept them in the advertiser portal, then this request can be retried with the same Idempotency-Key';
const notMultipart = 'The body must be multipart/form-data with a boundary';
const notComplete = 'The body is not complete multipart/form-data';
const atLeast = (amount: string) => `A card payment must be at least ${amount}`;

/** A creation and what is left of it. */
async function attempt(...[parts, o]: [parts?: Parts, o?: Parameters<typeof create>[2]]) {
  const { status, body } = await create(under, parts, o);
  return { status, body, left: await traces() };
}

function nothingBut(code: string, status: number, message: string | RegExp) {
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

  const largePicture = 'image must have at most 5 MB';
  it.each([
    ['missing', () => null, 'image is missing'],
    ['empty', () => Buffer.alloc(0), 'image is missing'],
    ['a byte too large', () => jpegOfBytes(MIB_5 + 1), largePicture],
    ['far too large', () => Buffer.alloc(10_000_000), largePicture],
    ['of another type', () => Buffer.from('<svg/>'), 'image must be a JPG, PNG or GIF'],
    [
      'a decompression bomb',
      () => manyPixelPng(),
      'image must have at most 50 megapixels over all its frames',
    ],
  ])('refuses a picture that is %s', async (_, made, message) => {
    expect(await attempt({}, { picture: await made() })).toEqual(nothingBut('E1', 400, message));
  });

  it('refuses a picture that moderation cannot read, with what is wrong with it', async () => {
    under.neighbours.moderation.verdict = 'unreadable';
    expect(await attempt({})).toEqual(nothingBut('E1', 400, 'image is damaged or incomplete'));
  });

  it('refuses single fields that are repeated', async () => {
    expect(await attempt({ title: ['a', 'b'], environment: ['TEST', 'LIVE'] })).toEqual(
      nothingBut('E1', 400, 'title must be sent once; environment must be sent once'),
    );
  });

  it('refuses a second picture, a picture as text, and a file in the place of a text', async () => {
    const twice = await form();
    twice.append('image', new Blob(['x']), 'b.jpg');
    const asText = await form({ image: 'x' }, null);
    const titleAsFile = await form({ title: undefined });
    titleAsFile.append('title', new Blob(['x']), 'title.txt');
    for (const [body, message] of [
      [twice, 'image must be sent once'],
      [asText, 'image must be sent as a file'],
      [titleAsFile, 'title must not be a file'],
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
    expect(await post('{}', 'application/json')).toMatchObject(refusal('E1', 400, notMultipart));
    expect(await post('x', 'multipart/form-data')).toMatchObject(refusal('E1', 400, notMultipart));
    expect(await post('x', 'multipart/form-data; boundary=b')).toMatchObject(refusal('E1', 400, notComplete));
    expect(
      await post(
        '--b\r\nContent-Disposition: form-data; name="title"\r\n\r\nhal',
        'multipart/form-data; boundary=b',
      ),
    ).toMatchObject(refusal('E1', 400, notComplete));
    expect(await traces()).toEqual(none);
  });

  it('refuses more parts than a form can have: 600, of which 12 are others here', async () => {
    expect(await attempt({ 'interests[]': Array.from({ length: 589 }, () => '1') })).toEqual(
      nothingBut('E1', 400, 'The form must have at most 600 parts'),
    );
  });
});

describe('the fields', () => {
  /** As the list shows it to who created it. */
  async function listed(parts: Parts): Promise<Record<string, unknown>> {
    const offer_id = await createdId(under, parts);
    const { body } = await under.call('GET', '/offers?environment=test');
    const { data } = body as { data: Record<string, unknown>[] };
    return data.find((offer) => offer['offer_id'] === offer_id) ?? {};
  }
  const shortly = (sent: Sent) => JSON.stringify(sent)?.slice(0, 40) ?? 'nothing';
  const rows = Object.entries(fields);

  it.each(
    rows.flatMap(([name, row]) =>
      row.takes.map(([sent, shown]) => [name, shortly(sent), sent, shown] as const),
    ),
  )('%s may be %s', async (name, _, sent, shown) => {
    expect(await listed({ [name]: sent })).toMatchObject(shown);
  });

  it.each(
    rows.flatMap(([name, row]) =>
      row.refuses.map(([sent, message]) => [name, shortly(sent), sent, message] as const),
    ),
  )('%s may not be %s', async (name, _, sent, message) => {
    expect(await attempt({ [name]: sent })).toEqual(nothingBut('E1', 400, message));
  });

  it.each(rows.filter(([, row]) => row.required).map(([name]) => name))(
    '%s is required, and empty is missing',
    async (name) => {
      for (const sent of [undefined, '']) {
        const { body, left } = await attempt({ [name]: sent });
        expect(left).toEqual(none);
        expect(body).toMatchObject({ return_code: 'E1', code: 400 });
        const { message } = body as { message: string };
        expect(message.startsWith(`${name} is missing`) || message.startsWith(`${name} must be`)).toBe(true);
        expect(message).not.toContain(';');
      }
    },
  );

  it('that are not in the table are ignored', async () => {
    const others = {
      note: 'x',
      __proto__: 'x',
      constructor: 'x',
      'title[]': 'x',
      offer_id: '7',
      status: 'Active',
    };
    expect(await listed(others)).toMatchObject({ title: usualParts['title'], offer_status: 'Scheduled' });
  });

  it('are all judged at once: every fault of all is in one message', async () => {
    const spoiled: Parts = {
      category_id: 'x',
      title: '',
      url: 'x',
      'location[]': 'x',
      radius: '4',
      'gender[]': 'x',
    };
    const more: Parts = {
      'interests[]': 'x',
      start_datetime: 'x',
      expiry_datetime: 'x',
      payment_method: 'x',
    };
    const message = [
      categoryRule,
      'title is missing',
      urlRule,
      'image is missing',
      place,
      radiusRule,
      genderRule,
      interestRule,
      instant('start_datetime'),
      instant('expiry_datetime'),
      'payment_method must be E or B',
      'environment must be TEST or LIVE',
    ].join('; ');
    expect(await attempt({ ...spoiled, ...more, environment: '' }, { picture: null })).toEqual(
      nothingBut('E1', 400, message),
    );
  });
});

describe('E1 400: start more than 60 seconds in the past', () => {
  it('but one of 60 seconds is taken, even when the offer is over by then', async () => {
    const parts = { start_datetime: '2026-06-01T11:59:00Z', expiry_datetime: '2026-06-01T12:00:00Z' };
    expect(await create(under, parts)).toMatchObject({ status: 200, body: { return_code: 'S1' } });
    const applied = (await under.events()).find(({ name }) => name === 'OfferPaymentApplied');
    // It never ran, so all of it is credited (decisions 6 and 7).
    expect(applied?.data).toMatchObject({ outcome: 'ended', unusedMs: 60_000, scheduledMs: 60_000 });
  });

  it('creates and charges nothing', async () => {
    expect(await attempt({ start_datetime: '2026-06-01T11:58:59.999Z' })).toEqual(
      nothingBut('E1', 400, 'start_datetime must not be more than 60 seconds in the past'),
    );
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
    Object.assign(under.neighbours.pricing, { costMinor: minimum - 1n });
    const refused = await attempt({ payment_method: 'E' }, { caller });
    expect(refused).toEqual(nothingBut('E1', 400, atLeast(amount)));
    expect((await create(under, {}, { caller })).body).toMatchObject({ return_code: 'S1' });
    Object.assign(under.neighbours.pricing, { costMinor: minimum });
    const paid = await create(under, { payment_method: 'E' }, { caller });
    expect(paid.body).toMatchObject({ return_code: 'S1', currency });
  });

  it('names the minimum and asks nothing of billing', async () => {
    Object.assign(under.neighbours.pricing, { costMinor: 29n });
    expect(await attempt({ payment_method: 'E' })).toEqual(nothingBut('E1', 400, atLeast('0.30 GBP')));
    expect(under.neighbours.moderation.asked).toBe(0);
  });

  it('is the same when the provider refuses what the table allows', async () => {
    under.neighbours.billing.tooSmall = true;
    expect(await attempt({ payment_method: 'E' })).toEqual(nothingBut('E1', 400, atLeast('0.30 GBP')));
  });
});

describe('E1 400: a card payment above what the provider takes', () => {
  const tooMuch = nothingBut('E1', 400, 'A card payment must be at most 999999.99 GBP, VAT included');

  it('when billing says so, with the VAT', async () => {
    Object.assign(under.neighbours.pricing, { costMinor: 99_999_999n });
    under.neighbours.billing.tooLarge = true;
    expect(await attempt({ payment_method: 'E' })).toEqual(tooMuch);
    expect(under.neighbours.moderation.asked).toBe(1);
  });

  it.each([
    ['a penny', 100_000_000n],
    ['more than any database holds', 10n ** 30n],
  ])('by %s without VAT, which asks nothing of anybody', async (_, costMinor) => {
    Object.assign(under.neighbours.pricing, { costMinor });
    expect(await attempt({ payment_method: 'E' })).toEqual(tooMuch);
    expect(under.neighbours.moderation.asked).toBe(0);
  });
});

describe('E1 400: Idempotency-Key', () => {
  it('missing or empty', async () => {
    const missing = await under.call('POST', '/offers', { body: await form() });
    expect(missing).toMatchObject(refusal('E1', 400, 'The Idempotency-Key header is missing'));
    expect(await attempt({}, { key: '' })).toEqual(
      nothingBut('E1', 400, 'The Idempotency-Key header is missing'),
    );
  });

  it.each([
    ['with a space', 'a b'],
    ['with a tab', 'a\tb'],
    ['with an accent', '\u00e9'],
    ['of 256 characters', 'x'.repeat(256)],
  ])('%s', async (_, key) => {
    expect(await attempt({}, { key })).toEqual(nothingBut('E1', 400, malformedKey));
  });

  it('sent twice, which could mean either', async () => {
    const body = await form();
    const headers: [string, string][] = [
      ['Idempotency-Key', 'one'],
      ['Idempotency-Key', 'two'],
      ...Object.entries(signedCaller({ audience: 'offers' })),
    ];
    const answer = await fetch(`${under.offers.url}/offers`, { method: 'POST', body, headers });
    expect([answer.status, await answer.json()]).toEqual([400, refusal('E1', 400, malformedKey).body]);
    expect(await traces()).toEqual(none);
  });

  it('but any of 1 to 255 printable characters is taken as it is, in its own case', async () => {
    const ids = new Set<number>();
    for (const key of ['k', 'K', '"k"', 'k,k', '%6B', '!~', 'x'.repeat(255)])
      ids.add(await createdId(under, {}, { key }));
    expect(ids.size).toBe(7);
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
    expect(under.neighbours.pricing.asked + under.neighbours.moderation.asked).toBe(0);
  });
});

describe('E2 200: image failed moderation', () => {
  it('says why, creates and charges nothing and frees the key', async () => {
    under.neighbours.moderation.verdict = 'refused';
    const key = randomUUID();
    expect(await create(under, {}, { key })).toMatchObject(
      refusal('E2', 200, 'The image failed moderation: the picture looks explicit'),
    );
    expect(await traces()).toEqual(none);
    under.neighbours.moderation.verdict = 'allowed';
    expect((await create(under, {}, { key })).body).toMatchObject({ return_code: 'S1' });
  });
});

describe('E3 200: balance below the cost', () => {
  it('is told before moderation is asked, and frees the key', async () => {
    under.neighbours.billing.balanceMinor = 9_99n;
    const key = randomUUID();
    expect(await create(under, {}, { key })).toMatchObject(refusal('E3', 200, tooLow));
    expect(under.neighbours.moderation.asked).toBe(0);
    expect(await traces()).toEqual(none);
    under.neighbours.billing.balanceMinor = 10_00n;
    expect((await create(under, {}, { key })).body).toMatchObject({ return_code: 'S1' });
  });

  it('is told with every digit of a cost that no balance can hold', async () => {
    Object.assign(under.neighbours.pricing, { costMinor: 10n ** 30n });
    const digits = `1${'0'.repeat(28)}.00 GBP`;
    expect(await attempt()).toEqual(
      nothingBut('E3', 200, `The balance is below the offer's cost of ${digits}`),
    );
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
    expect(await create(under)).toMatchObject(refusal('E3', 200, tooLow));
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

describe('E5 400: no users match', () => {
  it('creates nothing', async () => {
    Object.assign(under.neighbours.pricing, { matchingUsers: 0, costMinor: 0n });
    expect(await create(under)).toMatchObject(refusal('E5', 400, 'No users match the targeting'));
    expect(await traces()).toEqual(none);
  });
});

describe('E6 400: currency cannot be billed', () => {
  it('contains the code and says that nothing was charged, even when nobody matches', async () => {
    Object.assign(under.neighbours.pricing, { matchingUsers: 0, costMinor: null });
    const answer = await create(under, {}, { caller: { currency: 'JPY' } });
    expect(answer).toMatchObject(
      refusal('E6', 400, 'The billing currency JPY cannot be billed at present. You were not charged'),
    );
    expect(await traces()).toEqual(none);
  });
});

describe('E9 403: terms not accepted', () => {
  it('creates nothing, asks nobody, and the same key works once they are accepted', async () => {
    const key = randomUUID();
    const answer = await create(under, {}, { key, caller: { termsAccepted: false } });
    expect(answer).toMatchObject(refusal('E9', 403, termsNotAccepted));
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
    expect(answer.body).toEqual({ message: 'This Idempotency-Key was used with a different payload' });
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
    expect(same!.body).toEqual({ message: 'A request with this Idempotency-Key is still being processed' });
    expect(same!.headers.get('retry-after')).toBe('1');
    expect(different!.status).toBe(422);
    expect(under.neighbours.billing.charges()).toBe(1);
  });
});

describe('the order of checks (decision 9)', () => {
  type Attempt = { parts: Parts; key: string | undefined; caller: Partial<CallerContext> | null };
  type Check = {
    readonly name: string;
    /** Makes a request that would be refused here. */
    readonly spoil: (attempt: Attempt) => void;
    readonly refusal: { status: number; body: object };
  };
  const usedKey = 'a-key-of-another-payload';
  const pricing = (facts: object) => Object.assign(under.neighbours.pricing, facts);
  const first: readonly Check[] = [
    {
      name: '401',
      spoil: (it) => (it.caller = null),
      refusal: { status: 401, body: { message: 'Unauthorised' } },
    },
    {
      name: 'Idempotency-Key present',
      spoil: (it) => (it.key = undefined),
      refusal: refusal('E1', 400, 'The Idempotency-Key header is missing'),
    },
    {
      name: 'shape of the form',
      spoil: (it) => (it.parts['title'] = ['a', 'b']),
      refusal: refusal('E1', 400, 'title must be sent once'),
    },
    {
      name: 'environment',
      spoil: (it) => (it.parts['environment'] = 'LIVE'),
      refusal: refusal('E1', 403, 'This key works in TEST mode only, environment must be TEST'),
    },
    {
      name: 'field rules',
      spoil: (it) => (it.parts['radius'] = '4'),
      refusal: refusal('E1', 400, radiusRule),
    },
    {
      name: 'key look-up',
      spoil: (it) => (it.key = usedKey),
      refusal: { status: 422, body: { message: 'This Idempotency-Key was used with a different payload' } },
    },
    {
      name: 'clock rules',
      spoil: (it) => (it.parts['start_datetime'] = '2026-06-01T11:58:00Z'),
      refusal: refusal('E1', 400, 'start_datetime must not be more than 60 seconds in the past'),
    },
    {
      name: 'catalogue ids',
      spoil: (it) => (it.parts['category_id'] = '2'),
      refusal: refusal('E1', 400, categoryRule),
    },
    {
      name: 'catalogue ids, of interests',
      spoil: (it) => (it.parts['interests[]'] = '3'),
      refusal: refusal('E1', 400, `${interestRule}, which 3 is not`),
    },
    {
      name: 'E9',
      spoil: (it) => (it.caller = { ...it.caller, termsAccepted: false }),
      refusal: refusal('E9', 403, termsNotAccepted),
    },
    {
      name: 'E6',
      spoil: () => pricing({ costMinor: null }),
      refusal: refusal(
        'E6',
        400,
        'The billing currency GBP cannot be billed at present. You were not charged',
      ),
    },
    {
      name: 'E5',
      spoil: () => pricing({ matchingUsers: 0 }),
      refusal: refusal('E5', 400, 'No users match the targeting'),
    },
  ];
  const cardMinimum: Check = {
    name: 'card minimum',
    spoil: () => {
      if (under.neighbours.pricing.costMinor !== null) pricing({ costMinor: 29n });
    },
    refusal: refusal('E1', 400, atLeast('0.30 GBP')),
  };
  const quota: Check = {
    name: 'E4',
    spoil: (it) => (it.caller = it.caller && { ...it.caller, quota: { perPerson: 1, perOrganisation: 9 } }),
    refusal: refusal('E4', 400, 'Offer quota exceeded: this user may have 1 offers at a time and has 1'),
  };
  const balance: Check = {
    name: 'E3',
    spoil: () => (under.neighbours.billing.balanceMinor = 9_99n),
    refusal: refusal('E3', 200, tooLow),
  };
  const moderation: Check = {
    name: 'E2',
    spoil: () => (under.neighbours.moderation.verdict = 'refused'),
    refusal: refusal('E2', 200, 'The image failed moderation: the picture looks explicit'),
  };

  it.each([
    ['E', [...first, cardMinimum, quota, moderation]],
    ['B', [...first, quota, balance, moderation]],
  ] as const)(
    'is told step by step to who corrects one fault after the other, by %s',
    async (method, checks) => {
      await createdId(under, {}, { key: usedKey });
      await under.clearEvents();
      const told: string[] = [];
      for (const [step, check] of checks.entries()) {
        under.neighbours.reset();
        const it: Attempt = { parts: { payment_method: method }, key: randomUUID(), caller: {} };
        for (const fault of checks.slice(step).toReversed()) fault.spoil(it);
        const answer = await under.call('POST', '/offers', {
          body: await form(it.parts),
          ...(it.caller && { caller: it.caller }),
          headers: {
            ...(it.key !== undefined && { 'Idempotency-Key': it.key }),
            ...(it.caller === null && { 'x-caller-context': 'x' }),
          },
        });
        expect([check.name, answer.status, answer.body]).toEqual([
          check.name,
          check.refusal.status,
          check.refusal.body,
        ]);
        told.push(check.name);
      }
      expect(told).toHaveLength(checks.length);
      expect(await under.events()).toEqual([]);
      expect(under.neighbours.billing.sales.size).toBe(0);
      expect(await under.postgres.query('SELECT 1 FROM offers')).toHaveLength(1);
    },
  );
});

describe('503 and 500', () => {
  it.each(['pricing', 'moderation', 'billing'] as const)(
    'is 503 with Retry-After when %s is away, and the same key goes on',
    async (service) => {
      const key = randomUUID();
      under.neighbours[service].breaks.beforeWork = 9;
      const answer = await create(under, {}, { key });
      expect([answer.status, answer.body]).toEqual([503, { message: 'Service unavailable' }]);
      expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      under.neighbours.reset();
      const again = await create(under, {}, { key });
      expect(again).toMatchObject({ status: 200, body: { return_code: 'S1' } });
      expect(under.neighbours.billing.charges()).toBe(1);
    },
  );

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
