/** POST /offers: what the form may hold. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { jpegOfBytes, manyPixelPng } from '@offer-ads/testing/pictures/pictures';
import { create, createdId, form, type Parts, usualParts } from '../forms.ts';
import { type OffersUnderTest, startOffersUnderTest } from '../offers-under-test.ts';
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
import { attemptIn, none, nothingBut, refusal, startAfresh, tracesIn } from './creating.ts';

const notMultipart = 'The body must be multipart/form-data with a boundary';
const notComplete = 'The body is not complete multipart/form-data';
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
    under.otherServices.moderation.verdict = 'unreadable';
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
    // It never ran, so all of it is credited (decisions 6, Unused Time, and 7, late card payments).
    expect(applied?.data).toMatchObject({ outcome: 'ended', unusedMs: 60_000, scheduledMs: 60_000 });
  });

  it('creates and charges nothing', async () => {
    expect(await attempt({ start_datetime: '2026-06-01T11:58:59.999Z' })).toEqual(
      nothingBut('E1', 400, 'start_datetime must not be more than 60 seconds in the past'),
    );
  });
});
