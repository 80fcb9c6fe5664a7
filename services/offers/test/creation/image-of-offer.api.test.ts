/** POST /offers with `image_offer_id`: the new offer gets the picture of another one, without an upload. */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { png } from '@offer-ads/testing/pictures/pictures';
import { create, createdId, formOf, live, type Parts } from '../forms.ts';
import { offersUnderTest } from '../offers-under-test.ts';
import { created, nothing, tracesIn } from './creating.ts';
import { coded } from './refusals.ts';

const under = offersUnderTest();
beforeEach(async () => void (await under.postgres.query('DELETE FROM images')));

const unknown = coded(
  'E1',
  400,
  'image_offer_id must be the id of an offer of yours in this mode, whose picture is still kept',
);
const pictureOf = async (id: number) => (await under.offer(id)).imageHash;
const follow = (id: number | string, parts: Parts = {}, o: Parameters<typeof create>[2] = {}) =>
  create(under, { image_offer_id: String(id), ...parts }, { ...o, picture: null });

describe('a creation with the picture of another offer', () => {
  it('has the same stored picture, and its own texts, time and price', async () => {
    const id = await createdId(under, {}, { picture: await png() });
    const answer = await follow(id, { title: 'Once more' });
    expect(answer).toMatchObject(created);
    const next = (answer.body as { offer_id: number }).offer_id;
    expect(await pictureOf(next)).toBe(await pictureOf(id));
    expect(await under.offer(next)).toMatchObject({ title: 'Once more', netMinor: '1000' });
    // Moderation was asked about the stored picture, and got no second upload.
    expect(under.otherServices.moderation.asked).toBe(1);
  });

  it('is one offer for one key, also when the picture of the other was changed in between', async () => {
    const id = await createdId(under);
    const key = randomUUID();
    const first = await follow(id, {}, { key });
    const body = formOf({}, await png());
    expect((await under.call('PATCH', `/offers/${id}`, { body })).status).toBe(200);
    const second = await follow(id, {}, { key });
    expect([second.status, second.body]).toEqual([200, first.body]);
    expect(under.otherServices.billing.charges()).toBe(2);
  });

  it('works with an offer that was deleted, as long as its picture is kept', async () => {
    const id = await createdId(under);
    await under.call('DELETE', `/offers/${id}`);
    under.clock.set('2026-06-30T12:00:00Z');
    await under.offers.imageRemoval.remove();
    const later = { start_datetime: '2026-08-01T12:00:00Z', expiry_datetime: '2026-08-02T12:00:00Z' };
    expect(await follow(id, later)).toMatchObject(created);
  });

  it('is refused with E2 when the picture was blocked since; nothing is charged', async () => {
    const id = await createdId(under);
    under.otherServices.moderation.verdict = 'refused';
    const before = await tracesIn(under);
    const { status, body } = await follow(id);
    const reply = coded('E2', 200, 'The image failed moderation: the picture looks explicit');
    expect({ status, body }).toEqual(reply);
    expect(await tracesIn(under)).toEqual(before);
  });

  it.each<[string, (id: number) => Parameters<typeof follow>]>([
    ['an unknown offer', () => [2_000_000_000]],
    ["another organisation's offer", (id) => [id, {}, { caller: { organisationId: 2 } }]],
    ['an offer of the other mode', (id) => [id, ...live]],
    ['no id', () => ['x']],
  ])('is refused with E1 for %s', async (_, of) => {
    const id = await createdId(under);
    const { status, body } = await follow(...of(id));
    expect({ status, body }).toEqual(unknown);
  });

  it('is refused with E1 when the picture is gone', async () => {
    const id = await createdId(under);
    await under.call('DELETE', `/offers/${id}`);
    under.clock.set('2026-07-02T12:00:00Z');
    await under.offers.imageRemoval.remove();
    const later = { start_datetime: '2026-08-01T12:00:00Z', expiry_datetime: '2026-08-02T12:00:00Z' };
    const { status, body } = await follow(id, later);
    expect({ status, body }).toEqual(unknown);
  });

  it('is refused with E1 with a picture beside it, and without either', async () => {
    const both = await create(under, { image_offer_id: '1' });
    expect(both).toMatchObject(coded('E1', 400, 'image and image_offer_id must not be sent together'));
    const neither = await create(under, {}, { picture: null });
    expect(neither).toMatchObject(coded('E1', 400, 'image is missing'));
    expect(await tracesIn(under)).toEqual(nothing);
  });
});
