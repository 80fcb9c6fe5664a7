/** GET /placements/offers: where a follower of the events starts. */
import { describe, expect, it } from '@jest/globals';
import {
  type OfferStateEvent,
  type RunningOffersReply,
  runningOffersReply,
} from '@offer-ads/contracts/community/running-offers-api';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import { signedPlacementCaller } from '@offer-ads/testing/placement-caller';
import { byCard, createdId, live, startingNow } from '../forms.ts';
import { offersUnderTest } from '../offers-under-test.ts';

const under = offersUnderTest();

const ask = (query = '', mode: Mode = 'TEST') =>
  under.call('GET', `/placements/offers${query}`, { headers: signedPlacementCaller({ mode }) });
async function page(query = '', mode: Mode = 'TEST'): Promise<RunningOffersReply> {
  const { status, body } = await ask(query, mode);
  expect(status).toBe(200);
  return runningOffersReply.parse(body);
}
const idsOf = ({ offers }: RunningOffersReply) => offers.map(({ data }) => data.offerId);
async function stateOf(offerId: number): Promise<OfferStateEvent | undefined> {
  return (await page()).offers.find(({ data }) => data.offerId === offerId);
}

describe('the offers that have not ended', () => {
  it('say what the event of their creation said, and nothing more than events say', async () => {
    const offerId = await createdId(under, byCard);
    const created = (await under.events()).find(({ name }) => name === 'OfferCreated');
    const { paid: _, ...content } = created?.data ?? {};
    const state = await stateOf(offerId);
    expect(state?.data).toEqual({ ...content, activated: false, pausedAt: null, disabledAt: null });
    expect(state).toMatchObject({
      specversion: '1.0',
      source: '/offer-ads/offers',
      type: 'offer-ads.offers.OfferState.v1',
      subject: `offer/${offerId}`,
    });
  });

  it('have the subject version of their latest event, and another id after each', async () => {
    const offerId = await createdId(under, startingNow);
    await under.offers.sweeper.announce();
    const before = await stateOf(offerId);
    expect(before).toMatchObject({ data: { activated: true, pausedAt: null } });
    expect((await stateOf(offerId))?.id).toBe(before?.id);
    under.clock.advance(60_000);
    await under.call('POST', `/offers/${offerId}/pause`);
    await under.admin('POST', `/admin/offers/${offerId}/disable`, { reason: 'its terms' });
    const instant = '2026-06-01T12:01:00.000Z';
    const after = await stateOf(offerId);
    expect(after?.data).toMatchObject({ activated: true, pausedAt: instant, disabledAt: instant });
    const versions = (await under.events('all')).map(({ subjectVersion }) => subjectVersion);
    expect(after?.subjectversion).toBe(Math.max(...versions));
    expect(after?.id).not.toBe(before?.id);
  });

  it('are of the mode of the key only', async () => {
    const test = await createdId(under);
    const real = await createdId(under, ...live);
    expect([idsOf(await page()), idsOf(await page('', 'LIVE'))]).toEqual([[test], [real]]);
  });

  it('are gone once they were deleted or have ended', async () => {
    const [deleted, ending, other] = [
      await createdId(under),
      await createdId(under, { ...startingNow, expiry_datetime: '2026-06-01T12:05:00Z' }),
      await createdId(under),
    ];
    await under.call('DELETE', `/offers/${deleted}`);
    expect(idsOf(await page())).toEqual([ending, other]);
    under.clock.set('2026-06-01T12:05:00Z');
    await under.offers.sweeper.announce();
    expect(idsOf(await page())).toEqual([other]);
  });

  it('come in pages, of which the last has no cursor; an offer that is deleted or made between two pages takes no other away', async () => {
    const ids = [];
    for (let count = 0; count < 5; count += 1) ids.push(await createdId(under));
    const first = await page('?limit=2');
    await under.call('DELETE', `/offers/${ids[1]}`);
    await under.call('DELETE', `/offers/${ids[2]}`);
    const added = await createdId(under);
    const second = await page(`?limit=2&cursor=${first.next_cursor}`);
    const third = await page(`?limit=2&cursor=${second.next_cursor}`);
    expect([first, second, third].map(idsOf)).toEqual([ids.slice(0, 2), ids.slice(3), [added]]);
    expect(third.next_cursor).toBeNull();
  });
});

describe('refused are', () => {
  it.each(['?limit=0', '?limit=201', '?limit=x', '?cursor=-1', '?cursor=2147483648', '?cursor=a', '?page=2'])(
    '%s',
    async (query) => {
      expect((await ask(query)).status).toBe(400);
    },
  );

  it('callers without a placement key', async () => {
    expect((await under.call('GET', '/placements/offers')).status).toBe(401);
  });
});
