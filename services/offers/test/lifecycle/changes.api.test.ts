/** GET /portal/offers/{offer_id}/changes and /offers/{offer_id}/changes: who changed an offer and when. */
import { describe, expect, it } from '@jest/globals';
import { type ChangesReply, changesReply } from '@offer-ads/contracts/portal/offers-api';
import { changesReply as keysChangesReply } from '@offer-ads/contracts/public/api';
import { byCard, create, createdId, formOf, startingNow } from '../forms.ts';
import { offersUnderTest } from '../offers-under-test.ts';

const under = offersUnderTest();

async function changes(id: number, query = '', caller = {}): Promise<ChangesReply> {
  const { status, body } = await under.call('GET', `/portal/offers/${id}/changes?${query}`, { caller });
  expect(status).toBe(200);
  return changesReply.parse(body);
}

const ann = { personId: 3, keyId: null };
const key = { personId: 3, keyId: 7 };
const byAnn = { kind: 'person', person_id: 3 };
const byKey = { kind: 'api_key', key_id: 7 };
const staff = { kind: 'staff' };

describe('200', () => {
  it('has every change with who made it, newest first, and nothing that was refused', async () => {
    const id = await createdId(under, startingNow, { caller: key });
    const command = (path: string, caller: object) => under.call('POST', `/offers/${id}/${path}`, { caller });
    under.clock.set('2026-06-01T13:00:00Z');
    await command('pause', ann);
    await command('pause', ann);
    await under.call('POST', '/portal/offers/resume', { json: { offer_ids: [id] }, caller: ann });
    const edit = { body: formOf({ title: 'Three for one' }), caller: key };
    for (const _ of ['changes the title', 'changes nothing'])
      await under.call('PATCH', `/offers/${id}`, edit);
    await under.admin('POST', `/admin/offers/${id}/disable`, { reason: 'its terms' });
    await under.call('POST', `/portal/offers/${id}/review-request`, { caller: ann });
    await under.admin('POST', `/admin/offers/${id}/enable`, {});
    await expectForKeys(id);
    await under.call('DELETE', `/offers/${id}`, { caller: ann });
    const { data } = await changes(id);
    expect(data.map(({ what, by }) => [what, by])).toEqual([
      ['deleted', byAnn],
      ['enabled', staff],
      ['review_requested', byAnn],
      ['disabled', staff],
      ['edited', byKey],
      ['resumed', byAnn],
      ['paused', byAnn],
      ['created', byKey],
    ]);
    expect(data[4]?.fields).toEqual(['title']);
    expect(data.map(({ changed_datetime: at }) => at.slice(11, 16))).toEqual([
      ...Array(7).fill('13:00'),
      '12:00',
    ]);
  });

  /** The same changes, by kinds of authors instead of persons and keys. */
  async function expectForKeys(id: number) {
    const seen: unknown[] = [];
    for (let cursor = ''; ; ) {
      const { status, body } = await under.call('GET', `/offers/${id}/changes?limit=3${cursor}`, {
        caller: key,
      });
      expect(status).toBe(200);
      const { data, pagination } = keysChangesReply.parse(body);
      seen.push(...data.map(({ what, by, fields }) => [what, by, ...fields]));
      cursor = `&cursor=${pagination.next_cursor}`;
      expect(pagination).toMatchObject({ limit: 3, count: data.length, has_more: seen.length < 7 });
      if (!pagination.has_more) break;
    }
    expect(seen).toEqual([
      ['enabled', 'platform'],
      ['review_requested', 'person'],
      ['disabled', 'platform'],
      ['edited', 'this_key', 'title'],
      ['resumed', 'person'],
      ['paused', 'person'],
      ['created', 'this_key'],
    ]);
    const other = await under.call('GET', `/offers/${id}/changes`, { caller: { ...key, keyId: 8 } });
    expect(keysChangesReply.parse(other.body).data.at(-1)).toMatchObject({ by: 'other_key' });
    expect(JSON.stringify(other.body)).not.toMatch(/person_id|key_id/);
  }

  it('an offer that begins when the one ends whose picture it has extends that one', async () => {
    const id = await createdId(under, startingNow);
    const extended = { start_datetime: '2026-06-01T23:00:00Z', expiry_datetime: '2026-06-03T12:00:00Z' };
    const following = await createdId(
      under,
      { ...extended, image_offer_id: `${id}` },
      { picture: null, caller: ann },
    );
    await createdId(
      under,
      { ...extended, start_datetime: '2026-06-01T23:00:01Z', image_offer_id: `${id}` },
      { picture: null },
    );
    const { data } = await changes(id);
    expect(data.map(({ what, by, following_offer_id }) => [what, by, following_offer_id])).toEqual([
      ['extended', byAnn, following],
      ['created', expect.anything(), null],
    ]);
    expect((await changes(following)).data.map(({ what }) => what)).toEqual(['created']);
  });

  it('a deletion that failed is left out, and one that another process ends has who began it', async () => {
    const id = await createdId(under, byCard);
    const { billing } = under.otherServices;
    billing.closing = 'unknown';
    expect((await under.call('DELETE', `/offers/${id}`, { caller: ann, once: true })).status).toBe(503);
    expect((await changes(id)).data.map(({ what }) => what)).toEqual(['created']);
    billing.closing = 'works';
    await under.call('DELETE', `/offers/${id}`, { caller: key });
    expect((await changes(id)).data.map(({ what, by }) => [what, by])).toEqual([
      ['deleted', byKey],
      ['created', expect.anything()],
    ]);
  });

  it('is paged', async () => {
    const id = await createdId(under, startingNow);
    for (const command of ['pause', 'resume']) await under.call('POST', `/offers/${id}/${command}`);
    const first = await changes(id, 'limit=2');
    expect(first.data.map(({ what }) => what)).toEqual(['resumed', 'paused']);
    const second = await changes(id, `limit=2&cursor=${first.next_cursor}`);
    expect([second.data.map(({ what }) => what), second.next_cursor]).toEqual([['created'], null]);
  });

  it('keeps nothing of a creation that was refused', async () => {
    under.otherServices.billing.balanceMinor = 0n;
    await create(under, startingNow);
    expect(await under.count('offer_changes')).toBe(0);
  });
});

it('is 404 for other organisations and the other mode, and 400 for a bad page', async () => {
  const id = await createdId(under, startingNow);
  for (const caller of [{ organisationId: 2 }, { mode: 'LIVE' as const }])
    expect((await under.call('GET', `/portal/offers/${id}/changes`, { caller })).status).toBe(404);
  expect(await under.call('GET', `/portal/offers/${id}/changes?limit=201`)).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('limit') },
  });
  expect(await under.call('GET', `/offers/${id}/changes?limit=101&cursor=0`)).toMatchObject({
    status: 400,
    body: {
      return_code: 'E1',
      message:
        'limit must be a whole number from 1 to 100; cursor must be the next_cursor of an earlier page',
    },
  });
});
