/** PATCH /offers/{offer_id}, row by row of its table of codes. */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { OfferUpdated } from '@offer-ads/contracts/events/offers';
import { updateReply } from '@offer-ads/contracts/public/api';
import { byField } from '@offer-ads/contracts/values/offer-texts';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { gif, png } from '@offer-ads/testing/pictures/pictures';
import { startPruning } from '../../src/pruning.ts';
import { coded } from '../creation/refusals.ts';
import { byCard, create, createdId, formOf, type Parts, startingNow } from '../forms.ts';
import { type Answer, type CallOptions, offersUnderTest } from '../offers-under-test.ts';
import { itemsOfPages } from '../pages.ts';
import { pausePoint } from '../pause-point.ts';
import { pay } from '../payments.ts';

const under = offersUnderTest();

type EditOptions = CallOptions & { readonly key?: string; readonly picture?: Buffer };

function edit(id: number | string, parts: Parts, o: EditOptions = {}): Promise<Answer> {
  const body = formOf(parts, o.picture);
  const headers = { ...(o.key !== undefined && { 'Idempotency-Key': o.key }), ...o.headers };
  return under.call('PATCH', `/offers/${id}`, { body, ...o, headers });
}

const done = { status: 200, body: { return_code: 'S1', message: 'Offer has been updated' } };

async function shown(id: number, caller: CallOptions['caller'] = {}): Promise<Record<string, unknown>> {
  return (await under.call('GET', `/offers/${id}`, { caller })).body as Record<string, unknown>;
}

/** The name of the picture, without the signature of its address. */
async function pictureOf(id: number): Promise<string> {
  return new URL(String((await shown(id)).image)).pathname;
}

async function expectUnchanged(id: number, reply: object, change: () => Promise<Answer>): Promise<void> {
  await under.clearEvents();
  const found = await under.offer(id);
  const { status, body } = await change();
  expect({ status, body }).toEqual(reply);
  // The sweeper may announce start and end at any time, which gives the offer another version.
  expect(await under.offer(id)).toEqual({ ...found, version: expect.any(Number) });
  expect(await under.events()).toEqual([]);
}

describe('S1 200', () => {
  it('changes each field that is sent, and its event has the whole content', async () => {
    const id = await createdId(under, startingNow);
    const before = await shown(id);
    await under.clearEvents();
    under.clock.set('2026-06-01T14:00:00Z');
    const texts = {
      ...byField((_text, { atMost }) => '\u{1F375}'.repeat(atMost)),
      description: '  <b>as</b>\tit is',
      advertised_name: 'The Crown',
      url: 'https://crown.example/',
    };
    const answer = await edit(id, { ...texts, environment: 'TEST' }, { picture: await gif() });
    expect(answer).toMatchObject(done);
    expect(updateReply.parse(answer.body)).toEqual(done.body);
    const after = await shown(id);
    expect(after).toEqual({ ...before, ...texts, image: expect.any(String) });
    expect(await pictureOf(id)).not.toBe(new URL(String(before.image)).pathname);
    const [event, ...more] = await under.events();
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      name: 'OfferUpdated',
      subjectVersion: expect.any(Number),
      data: {
        offerId: id,
        title: texts.title,
        advertisedName: 'The Crown',
        imageUrl: expect.stringContaining(await pictureOf(id)),
        changedFields: [...Object.keys(texts), 'image'],
        updatedAt: '2026-06-01T14:00:00.000Z',
      },
    });
    expect(OfferUpdated.schema.safeParse(event?.data).success).toBe(true);
  });

  it('leaves what is not sent; an empty text removes terms and advertised name', async () => {
    const id = await createdId(under, {
      terms_and_conditions: 'Not on Sundays',
      advertised_name: 'The Crown',
    });
    expect(await edit(id, { title: 'Three for one' })).toMatchObject(done);
    expect(await shown(id)).toMatchObject({ title: 'Three for one', terms_and_conditions: 'Not on Sundays' });
    expect(await edit(id, { terms_and_conditions: '', advertised_name: '' })).toMatchObject(done);
    expect(await shown(id)).toMatchObject({
      title: 'Three for one',
      terms_and_conditions: '',
      advertised_name: null,
    });
  });

  it('with the values that the offer has already is no change: there is no event, and the picture is the same', async () => {
    const picture = await png();
    const id = await createdId(under, {}, { picture });
    await under.clearEvents();
    const before = await under.offer(id);
    expect(await edit(id, { title: 'Two for one', category_id: '1' }, { picture })).toMatchObject(done);
    expect(await under.offer(id)).toEqual(before);
    expect(await under.events()).toEqual([]);
  });

  it('keeps a category that has become inactive meanwhile', async () => {
    const id = await createdId(under);
    await under.postgres.query('UPDATE categories SET active = false WHERE category_id = 1');
    try {
      expect(await edit(id, { category_id: '1', title: 'Three for one' })).toMatchObject(done);
    } finally {
      await under.postgres.query('UPDATE categories SET active = true WHERE category_id = 1');
    }
  });
});

describe('E1 400', () => {
  it.each<[string, Parts, message: string]>([
    [
      'nothing to change',
      { environment: 'TEST', note: 'x' },
      `Send at least one of category_id, ${Object.keys(byField(() => '')).join(', ')}, url, image`,
    ],
    ['an empty title', { title: '' }, 'title is missing'],
    ['a misspelt name', { title: 'x', Url: 'https://x.example' }, 'Url must be sent as url'],
    ['an inactive category', { category_id: '2' }, 'category_id must be an id from GET /categories'],
    [
      'a category of another organisation',
      { category_id: '3' },
      'category_id must be an id from GET /categories',
    ],
    ['an unknown environment', { title: 'x', environment: 'test' }, 'environment must be TEST or LIVE'],
    [
      'what belongs to the price',
      {
        title: 'x',
        radius: '12',
        'gender[]': 'Male',
        location: '1',
        expiry_datetime: '2026-06-02T00:00:00Z',
      },
      ['radius', 'gender[]', 'location', 'expiry_datetime']
        .map((name) => `${name} cannot be changed, it belongs to the price that was agreed`)
        .join('; '),
    ],
  ])('%s', async (_, parts, message) => {
    const id = await createdId(under, startingNow);
    await expectUnchanged(id, coded('E1', 400, message), () => edit(id, parts));
  });

  it('an image of another type, and a malformed Idempotency-Key', async () => {
    const id = await createdId(under);
    const o = { picture: Buffer.from('<svg/>') };
    await expectUnchanged(id, coded('E1', 400, 'image must be a JPG, PNG or GIF'), () => edit(id, {}, o));
    const rule = 'Idempotency-Key must be 1 to 255 printable ASCII characters without spaces';
    await expectUnchanged(id, coded('E1', 400, rule), () => edit(id, { title: 'x' }, { key: 'a b' }));
  });
});

it('E1 403: environment is not the mode of the key', async () => {
  const id = await createdId(under);
  const reply = coded('E1', 403, 'This key works in TEST mode only, environment must be TEST');
  await expectUnchanged(id, reply, () => edit(id, { title: 'x', environment: 'LIVE' }));
});

it('E9 403: the terms are not accepted', async () => {
  const id = await createdId(under);
  const answer = await edit(id, { title: 'x' }, { caller: { termsAccepted: false } });
  expect(answer).toMatchObject({ status: 403, body: { return_code: 'E9' } });
  expect(await shown(id)).toMatchObject({ title: 'Two for one' });
});

it.each([
  ['E2 200', 'refused', coded('E2', 200, 'The image failed moderation: the picture looks explicit')],
  ['E1 400', 'unreadable', coded('E1', 400, 'image is damaged or incomplete')],
] as const)(
  '%s: a picture that is %s by moderation; the old one stays, and so do the texts',
  async (_, verdict, reply) => {
    const id = await createdId(under);
    under.otherServices.moderation.verdict = verdict;
    const picture = await png();
    await expectUnchanged(id, reply, () => edit(id, { title: 'x' }, { picture }));
  },
);

it('E3 409: the offer has ended, whether it was paid or not', async () => {
  for (const parts of [startingNow, byCard]) {
    under.clock.set('2026-06-01T12:00:00Z');
    const id = await createdId(under, parts);
    under.clock.set('2026-06-01T23:00:00Z');
    const asked = under.otherServices.moderation.asked;
    const picture = await png();
    await expectUnchanged(id, coded('E3', 409, 'Offer has ended, so it cannot be changed'), () =>
      edit(id, { title: 'x' }, { picture }),
    );
    expect(under.otherServices.moderation.asked).toBe(asked);
  }
});

describe('an Idempotency-Key', () => {
  it('gives the original reply again, also after another edit and after the deletion, and changes nothing', async () => {
    const id = await createdId(under);
    const key = randomUUID();
    expect(await edit(id, { title: 'Mine' }, { key })).toMatchObject(done);
    await edit(id, { title: 'Of a colleague' });
    await under.clearEvents();
    const again = await edit(id, { title: 'Mine' }, { key });
    expect(again).toMatchObject(done);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await shown(id)).toMatchObject({ title: 'Of a colleague' });
    await under.call('DELETE', `/offers/${id}`);
    expect(await edit(id, { title: 'Mine' }, { key })).toMatchObject(done);
    expect((await under.events()).map(({ name }) => name)).toEqual(['OfferDeleted']);
  });

  it('is forgotten after 30 days, when the same request is an edit of its own; that of a creation is not', async () => {
    const created = randomUUID();
    const id = await createdId(under, {}, { key: created });
    const key = randomUUID();
    await edit(id, { title: 'Mine' }, { key });
    const keysLeft = async (days: number) => {
      const now = new Date(under.clock.now().getTime() + days * 86_400_000);
      const { postgres, clock } = under;
      await using pruning = startPruning({
        postgres,
        clock: { ...clock, now: () => now },
        logger: silentLogger,
        metrics: createMetrics('test'),
      });
      await pruning.runNow();
      return (await postgres.query('SELECT idempotency_key AS key FROM idempotency_keys')).map(
        (row) => row['key'],
      );
    };
    expect(new Set(await keysLeft(30))).toEqual(new Set([created, key]));
    expect(await keysLeft(30.1)).toEqual([created]);
    const again = await edit(id, { title: 'Mine' }, { key });
    expect([again.status, again.headers.has('idempotent-replayed')]).toEqual([200, false]);
  });

  it('is 422 with other fields, another picture, another offer, or that of a creation', async () => {
    const created = randomUUID();
    const id = await createdId(under, {}, { key: created });
    const other = await createdId(under);
    const key = randomUUID();
    await edit(id, { title: 'Mine' }, { key });
    const answers = [
      await edit(id, { title: 'Yours' }, { key }),
      await edit(id, { title: 'Mine' }, { key, picture: await png() }),
      await edit(other, { title: 'Mine' }, { key }),
      await edit(id, { title: 'Mine' }, { key: created }),
      await create(under, {}, { key }),
    ];
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([422]));
  });

  // create-offer-keys.api.test.ts shows what a key does while its request runs, and after a 503: one function holds it for both.
  it('is free again after a refusal', async () => {
    const id = await createdId(under);
    const key = randomUUID();
    const picture = await png();
    under.otherServices.moderation.verdict = 'refused';
    expect(await edit(id, {}, { key, picture })).toMatchObject({ body: { return_code: 'E2' } });
    under.otherServices.moderation.verdict = 'allowed';
    expect(await edit(id, { title: 'Mine' }, { key, picture })).toMatchObject(done);
  });
});

describe('what happens while moderation judges the new picture', () => {
  it.each<[string, (id: number) => Promise<unknown>, object]>([
    ['a deletion', (id) => under.call('DELETE', `/offers/${id}`), coded('E1', 401, 'Offer not found')],
    [
      'the end',
      async () => {
        under.clock.set('2026-06-01T23:00:00Z');
        await under.offers.sweeper.announce();
      },
      coded('E3', 409, 'Offer has ended, so it cannot be changed'),
    ],
  ])('%s is decided under the lock of the offer', async (_, happen, reply) => {
    const id = await createdId(under, startingNow);
    const moderation = pausePoint();
    under.otherServices.moderation.onAsked = moderation.step;
    const edited = edit(id, { title: 'x' }, { picture: await png() });
    await moderation.reached;
    await happen(id);
    moderation.goOn();
    const { status, body } = await edited;
    expect({ status, body }).toEqual(reply);
  });
});

describe('pictures', () => {
  beforeEach(async () => void (await under.postgres.query('DELETE FROM images')));
  const names = () => under.postgres.query<{ name: string }>('SELECT name FROM images ORDER BY name');

  it('that an edit replaced stay for 30 days and are then removed', async () => {
    const id = await createdId(under, { expiry_datetime: '2027-06-01T23:00:00Z' });
    const [old] = await names();
    expect(await edit(id, {}, { picture: await gif() })).toMatchObject(done);
    under.clock.set('2026-06-30T12:00:00Z');
    await under.offers.imageRemoval.remove();
    expect(await names()).toContainEqual(old);
    under.clock.set('2026-07-01T12:00:01Z');
    await under.offers.imageRemoval.remove();
    const left = await names();
    expect(left).toHaveLength(1);
    expect(`/images/${left[0]?.name}`).toBe(await pictureOf(id));
  });
});

describe('review by the staff', () => {
  const waiting = async (query = 'mode=TEST') => {
    const { body } = await under.admin('GET', `/admin/reviews?${query}`);
    return body as { offers: { id: number; contentVersion: number }[]; nextCursor: string | null };
  };
  const idsOf = (mode = 'TEST') =>
    itemsOfPages(async (cursor) => {
      const { offers, nextCursor } = await waiting(`mode=${mode}&limit=1${cursor && `&cursor=${cursor}`}`);
      return { items: offers.map(({ id }) => id), next: nextCursor };
    });
  const review = (id: number, contentVersion: number) =>
    under.admin('POST', `/admin/offers/${id}/review`, { contentVersion });

  it('waits from the payment on, and again from each edit on, the longest waiting first', async () => {
    const card = await createdId(under, byCard);
    const paid = await createdId(under);
    // Nobody sees an unpaid offer.
    await edit(card, { title: 'Half price' });
    expect(await idsOf()).toEqual([paid]);
    under.clock.set('2026-06-01T12:10:00Z');
    await pay(under, card);
    expect(await idsOf()).toEqual([paid, card]);
    expect(await review(paid, 1)).toMatchObject({ status: 200, body: { reviewWaitingSince: null } });
    expect(await idsOf()).toEqual([card]);
    under.clock.set('2026-06-01T12:20:00Z');
    for (const id of [paid, card]) await edit(id, { title: 'Three for one' });
    const now = '2026-06-01T12:20:00.000Z';
    expect(await waiting()).toMatchObject({
      offers: [
        { id: card, contentVersion: 3, reviewWaitingSince: '2026-06-01T12:10:00.000Z' },
        { id: paid, contentVersion: 2, contentChangedAt: now, reviewWaitingSince: now },
      ],
    });
    expect(await idsOf('LIVE')).toEqual([]);
  });

  it('of content that was changed meanwhile is 409; of an unknown or a deleted offer, which does not wait either, 404', async () => {
    const id = await createdId(under);
    await edit(id, { title: 'Three for one' });
    await under.clearEvents();
    const changed = 'Offer was changed since then, look at it again';
    expect(await review(id, 1)).toMatchObject({ status: 409, body: { message: changed } });
    expect(await idsOf()).toEqual([id]);
    for (const _ of [1, 2]) expect((await review(id, 2)).status).toBe(200);
    expect([await idsOf(), await under.events()]).toEqual([[], []]);
    await edit(id, { title: 'Four for one' });
    await under.call('DELETE', `/offers/${id}`);
    expect(await idsOf()).toEqual([]);
    for (const unknown of [id, 2_000_000_000]) expect((await review(unknown, 3)).status).toBe(404);
  });

  it('is over when staff disable the offer, and begins again when its advertiser edits it or asks for it', async () => {
    const id = await createdId(under);
    const askAgain = (o: CallOptions = {}) => under.call('POST', `/portal/offers/${id}/review-request`, o);
    const standing = async () => (await under.call('GET', `/portal/offers/${id}`)).body;
    expect(await askAgain()).toMatchObject({ status: 409, body: { message: 'Offer is not disabled' } });
    await under.admin('POST', `/admin/offers/${id}/disable`, { reason: 'its terms' });
    expect(await idsOf()).toEqual([]);
    expect(await standing()).toMatchObject({ review_waiting_datetime: null });

    under.clock.set('2026-06-01T12:10:00Z');
    await edit(id, { terms_and_conditions: 'Other terms' });
    expect(await waiting()).toMatchObject({ offers: [{ id, enabled: false, contentVersion: 2 }] });
    await review(id, 2);
    under.clock.set('2026-06-01T12:20:00Z');
    expect((await askAgain({ caller: { organisationId: 2 } })).status).toBe(404);
    for (const _ of [1, 2]) {
      expect(await askAgain()).toMatchObject({
        status: 200,
        body: { review_waiting_datetime: '2026-06-01T12:20:00.000Z' },
      });
      under.clock.set('2026-06-01T12:30:00Z');
    }
    expect(await idsOf()).toEqual([id]);
    // Staff who enable it may not have seen its latest texts.
    await under.admin('POST', `/admin/offers/${id}/enable`, { reason: 'mended' });
    expect(await idsOf()).toEqual([id]);
    expect(await standing()).toMatchObject({ review_waiting_datetime: null });
    await under.call('DELETE', `/offers/${id}`);
    expect((await askAgain()).status).toBe(404);
  });
});
