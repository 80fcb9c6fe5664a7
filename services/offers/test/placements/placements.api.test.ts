/** POST /placements: which offers a member sees now, on two replicas. */
import { describe, expect, it } from '@jest/globals';
import { placementsReply } from '@offer-ads/contracts/community/placements-api';
import { startWhenStoresServe } from '@offer-ads/platform/process/start-when-stores-serve';
import { collectingLogger } from '@offer-ads/testing/logger';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { startOffers } from '../../src/service.ts';
import { createdId, type Parts, startingNow } from '../forms.ts';
import { offersUnderTest } from '../offers-under-test.ts';
import { askForPlacements, click, countsOf, sendViews } from './placing.ts';

const under = offersUnderTest();
const here = { latitude: 51.5074, longitude: -0.1278, gender: 'Female', interests: [1] };

const ask = (body: object, o?: Parameters<typeof askForPlacements>[2]) => askForPlacements(under, body, o);
/** The ids of the offers that the member sees, in order. */
async function seen(member: object = here, o: Parameters<typeof ask>[1] = {}): Promise<number[]> {
  const { placements } = placementsReply.parse((await ask(member, o)).body);
  return placements.map(({ offer_id }) => offer_id);
}
const active = (parts: Parts = {}) => createdId(under, { ...startingNow, ...parts });

describe('a member', () => {
  it('sees an offer with all that a card shows, and its addresses count a view and a click', async () => {
    const offerId = await active({ terms_and_conditions: 'Once only' });
    await under.offers.followed.refresh();
    const { body } = await ask(here);
    const [placement] = placementsReply.parse(body).placements;
    expect(placement).toMatchObject({
      offer_id: offerId,
      title: 'Two for one',
      description: 'Two coffees for the price of one',
      terms_and_conditions: 'Once only',
      category: { category_id: 1 },
    });
    expect(placement?.category.category_name).not.toBe('');
    expect(placement?.advertised_name).not.toBe('');
    expect(placement?.image).toMatch(/^http:\/\/images\.test\/images\/[\w-]+\.\w+\?expires=\d+&signature=/);
    await sendViews(under, [placement?.view_token ?? '']);
    const clicked = await click(under, new URL(placement?.click_url ?? '').pathname);
    expect([clicked.status, clicked.headers.get('location')]).toEqual([
      302,
      'https://cafe.example/two-for-one',
    ]);
    expect(await countsOf(under, offerId)).toEqual({ views: 1, clicks: 1 });
  });

  it('sees what is for them: by place, gender and interests, in the mode of the key', async () => {
    const all = await active();
    const women = await active({ 'gender[]': ['Female'] });
    const music = await active({ 'interests[]': ['1', '2'] });
    await under.offers.followed.refresh();
    const wanted = { ...here, wanted: 20 };
    const sorted = async (member: object) => (await seen(member)).toSorted((a, b) => a - b);
    expect(await sorted(wanted)).toEqual([all, women, music]);
    expect(await sorted({ ...wanted, gender: 'Male' })).toEqual([all, music]);
    expect(await sorted({ ...wanted, interests: [] })).toEqual([all, women]);
    expect(await sorted({ ...wanted, latitude: 52.5 })).toEqual([]);
    expect(await sorted({ ...wanted, without_offers: [all], without_categories: [99] })).toEqual([
      women,
      music,
    ]);
    expect(await sorted({ ...wanted, without_categories: [1] })).toEqual([]);
    expect(await seen(wanted, { mode: 'LIVE' })).toEqual([]);
  });

  it('sees a paused, disabled or deleted offer no more, on any replica, within a second', async () => {
    const second = await under.startReplica();
    const [paused, disabled, deleted, stays] = [
      await active(),
      await active(),
      await active(),
      await active(),
    ];
    const wanted = { ...here, wanted: 20 };
    const onBoth = (expected: number[]) =>
      eventually(async () => {
        for (const to of [under.offers, second])
          expect((await seen(wanted, { to })).toSorted((a, b) => a - b)).toEqual(expected);
      });
    await onBoth([paused, disabled, deleted, stays]);
    await under.call('POST', `/offers/${paused}/pause`);
    await under.admin('POST', `/admin/offers/${disabled}/disable`, { reason: 'its terms' });
    await under.call('DELETE', `/offers/${deleted}`);
    await onBoth([stays]);
    await under.call('POST', `/offers/${paused}/resume`);
    await under.admin('POST', `/admin/offers/${disabled}/enable`);
    await onBoth([paused, disabled, stays]);
  });
});

describe('a viewer', () => {
  it('sees each offer once before one comes twice, and none more often than ten times a day, over two replicas', async () => {
    const second = await under.startReplica();
    const ids = [await active(), await active(), await active(), await active()];
    for (const { followed } of [under.offers, second]) await followed.refresh();
    const shown: number[] = [];
    for (let round = 0; round < 21; round += 1) {
      const to = round % 2 === 0 ? under.offers : second;
      shown.push(...(await seen({ ...here, viewer: 'ann of today', wanted: 2 }, { to })));
      await to.showings.write();
    }
    for (let turn = 0; turn < 10; turn += 1)
      expect(shown.slice(4 * turn, 4 * turn + 4).toSorted((a, b) => a - b)).toEqual(ids);
    expect(shown).toHaveLength(40);
    expect(await seen({ ...here, viewer: 'bob of today', wanted: 4 })).toHaveLength(4);
    // Another day begins.
    under.clock.set('2026-06-02T00:00:00Z');
    const offers = await createdId(under, {
      ...startingNow,
      start_datetime: '2026-06-02T00:00:00Z',
      expiry_datetime: '2026-06-02T10:00:00Z',
    });
    await under.offers.followed.refresh();
    expect(await seen({ ...here, viewer: 'ann of today', wanted: 4 })).toEqual([offers]);
  });

  it('leaves no pseudonym in the database', async () => {
    await active();
    await under.offers.followed.refresh();
    await seen({ ...here, viewer: 'ann of today' });
    await under.offers.showings.write();
    const rows = await under.postgres.query('SELECT placement_viewers::text AS row FROM placement_viewers');
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain('ann');
  });
});

describe('GET /admin/placements/neglected', () => {
  it('has the offers that got less than half of what equal turns would have given them', async () => {
    const [often, seldom] = [await active(), await active()];
    await under.offers.followed.refresh();
    for (let viewer = 0; viewer < 60; viewer += 1)
      await seen({ ...here, viewer: `viewer ${viewer}`, wanted: 1 });
    await under.offers.showings.write();
    const neglected = async () => (await under.admin('GET', '/admin/placements/neglected')).body;
    expect(await neglected()).toEqual({ offers: [] });
    await under.postgres.query('UPDATE placement_shares SET shown = 14 WHERE offer_id = $1', [seldom]);
    expect(await neglected()).toMatchObject({
      offers: [
        {
          offerId: seldom,
          organisationId: expect.any(Number),
          mode: 'TEST',
          title: expect.any(String),
          matched: 60,
          fairShare: 30,
          shown: 14,
        },
      ],
    });
    expect(often).not.toBe(seldom);
  });

  it('says nothing of an offer that a viewer has seen as often as it may be shown', async () => {
    const offerId = await active();
    await under.offers.followed.refresh();
    for (let time = 0; time < 60; time += 1) await seen({ ...here, viewer: 'ann of today' });
    await under.offers.showings.write();
    const rows = await under.postgres.query('SELECT offer_id, matched, shown FROM placement_shares');
    expect(rows).toEqual([{ offer_id: offerId, matched: 10, shown: 10 }]);
  });

  it('is about figures that are kept for 30 days', async () => {
    await active();
    await under.offers.followed.refresh();
    await seen();
    await under.offers.showings.write();
    under.clock.set('2026-07-01T12:00:00Z');
    await under.offers.pruning.runNow();
    expect(await under.count('placement_shares')).toBe(1);
    under.clock.set('2026-07-01T12:00:00.001Z');
    await under.offers.pruning.runNow();
    expect([await under.count('placement_shares'), await under.count('placement_viewers')]).toEqual([0, 0]);
  });
});

describe('refused', () => {
  it.each([
    ['latitude', { ...here, latitude: 91 }],
    ['longitude', { gender: 'Male', latitude: 0 }],
    ['gender', { ...here, gender: 'All' }],
    ['interests', { ...here, interests: [1, 1] }],
    ['viewer', { ...here, viewer: '' }],
    ['wanted', { ...here, wanted: 21 }],
    ['image_widths: must be a list of 1 to 4 widths', { ...here, image_widths: [] }],
    ['image_widths: must be a list of 1 to 4 widths', { ...here, image_widths: Array(5).fill(320) }],
    ['image_widths.1: must be one of 160, 320, 640, 1080', { ...here, image_widths: [320, 321] }],
    ['intrests', { ...here, intrests: [1] }],
    ['member_id', { ...here, member_id: 7 }],
  ])('with 400 that names %s', async (field, body) => {
    const answer = await ask(body);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ message: expect.stringContaining(field) });
  });

  it.each(['/placements', '/Placements/?a=1'])(
    'with 401 when nobody has signed the caller: %s',
    async (path) => {
      expect((await under.call('POST', path, { json: {} })).status).toBe(401);
    },
  );
});

describe('the log', () => {
  it('has neither position, gender, interests nor pseudonym, also of refused requests', async () => {
    const { logger, lines } = collectingLogger();
    const { config, clock } = under;
    await using offers = await startWhenStoresServe(() => startOffers(config, { clock, logger }));
    // No time, duration or id in a log looks like these numbers.
    const member = {
      latitude: 77.234567,
      longitude: -171.987654,
      gender: 'Non-binary',
      interests: [474_747_474],
      viewer: 'ann of today',
    };
    await ask(member, { to: offers });
    await ask({ ...member, latitude: 177.234567, gender: 'Secret' }, { to: offers });
    await offers.showings.write();
    const log = await eventually(() => {
      const text = lines.join('\n');
      expect(text.match(/"route":"\/placements"/g)).toHaveLength(2);
      return text;
    });
    for (const secret of ['77.23', '171.98', 'Non-binary', 'Secret', '474747474', 'ann of today'])
      expect(log).not.toContain(secret);
  });
});
