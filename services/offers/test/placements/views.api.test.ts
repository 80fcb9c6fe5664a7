/** POST /placements/views: each token counts one view, once. No broker is there. */

import { beforeEach, describe, expect, it } from '@jest/globals';
import { analyticsReply } from '@offer-ads/contracts/public/api';
import { DAY_MS } from '@offer-ads/contracts/values/durations';
import { signedPlacementCaller } from '@offer-ads/testing/placement-caller';
import { createdId, live, startingNow } from '../forms.ts';
import { offersUnderTest } from '../offers-under-test.ts';
import { countsOf, place, sendViews, viewTokens } from './placing.ts';

const under = offersUnderTest();
let offerId: number;
beforeEach(async () => {
  offerId = await createdId(under, startingNow);
});

const fromNow = (ms: number) => new Date(under.clock.now().getTime() + ms);

describe('200', () => {
  it('counts each view, and analytics show it at once', async () => {
    const answer = await sendViews(under, viewTokens(under, offerId, 3));
    expect([answer.status, answer.body]).toEqual([200, { accepted: 3, refused: [] }]);
    const analytics = await under.call('GET', `/offers/${offerId}/analytics?interval=24h`);
    expect(analyticsReply.parse(analytics.body).metrics).toEqual({ views: 3, clicks: 0 });
  });

  it('refuses by their places tokens that are forged, of yesterday or of the future, and counts the others', async () => {
    const [good, other] = viewTokens(under, offerId, 2) as [string, string];
    const tokens = [
      `${good}A`,
      good,
      place(under, offerId, { shownAt: fromNow(-DAY_MS) }).viewToken,
      place(under, offerId, { shownAt: fromNow(DAY_MS) }).viewToken,
      place(under, offerId).clickPath.slice('/c/'.length),
      other,
      'x',
    ];
    expect((await sendViews(under, tokens)).body).toEqual({ accepted: 2, refused: [0, 2, 3, 4, 6] });
    expect(await countsOf(under, offerId)).toEqual({ views: 2 });
  });

  it('counts a view in the hour in which the offer was shown, also when its token comes a day later', async () => {
    const [token = ''] = viewTokens(under, offerId, 1);
    under.clock.advance(DAY_MS - 1);
    expect((await sendViews(under, [token])).body).toEqual({ accepted: 1, refused: [] });
    under.clock.advance(1);
    expect((await sendViews(under, [token])).body).toEqual({ accepted: 0, refused: [0] });
    const rows = await under.postgres.query('SELECT hour, views FROM traffic');
    expect(rows).toEqual([{ hour: new Date('2026-06-01T12:00:00Z'), views: 1 }]);
  });

  it('counts views of the mode of the key only', async () => {
    const liveId = await createdId(under, { ...startingNow, ...live[0] }, live[1]);
    const tokens = [place(under, offerId).viewToken, place(under, liveId, { mode: 'LIVE' }).viewToken];
    expect((await sendViews(under, tokens, { mode: 'TEST' })).body).toEqual({ accepted: 1, refused: [1] });
    expect([await countsOf(under, offerId), await countsOf(under, liveId)]).toEqual([{ views: 1 }, {}]);
    expect((await sendViews(under, tokens, { mode: 'LIVE' })).body).toEqual({ accepted: 1, refused: [0] });
    expect(await countsOf(under, liveId)).toEqual({ views: 1 });
  });

  it('counts a view of an offer that was paused or deleted meanwhile', async () => {
    const tokens = viewTokens(under, offerId, 2);
    await under.call('POST', `/offers/${offerId}/pause`);
    await sendViews(under, tokens.slice(0, 1));
    await under.call('DELETE', `/offers/${offerId}`);
    await sendViews(under, tokens.slice(1));
    expect(await countsOf(under, offerId)).toEqual({ views: 2 });
  });
});

describe('400', () => {
  it.each([
    ['no tokens', { view_tokens: [] }],
    ['more than 500 tokens', { view_tokens: Array(501).fill('x') }],
    ['a token that is too long', { view_tokens: ['x'.repeat(513)] }],
  ])('%s: names the field', async (_, body) => {
    const answer = await under.call('POST', '/placements/views', {
      headers: signedPlacementCaller(),
      json: body,
    });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ message: expect.stringContaining('view_tokens') });
  });
});

it.each([
  ['without a caller of placements', {}],
  ['with one for another service', signedPlacementCaller({ audience: 'billing' })],
])('is 401 %s, and counts nothing', async (_, headers) => {
  // An advertiser's caller is sent in any case.
  const json = { view_tokens: viewTokens(under, offerId, 1) };
  const answer = await under.call('POST', '/placements/views', { headers, json });
  expect([answer.status, answer.body]).toEqual([401, { message: 'Unauthorised' }]);
  expect(await countsOf(under, offerId)).toEqual({});
});
