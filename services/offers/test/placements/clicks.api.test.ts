/** GET /c/{token}: counts a click once, and leads nowhere but to the page of the offer. */

import { beforeEach, describe, expect, it } from '@jest/globals';
import { DAY_MS } from '@offer-ads/contracts/values/durations';
import { startWhenStoresServe } from '@offer-ads/platform/process/start-when-stores-serve';
import { collectingLogger } from '@offer-ads/testing/logger';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { startOffers } from '../../src/service.ts';
import { createdId, live, startingNow } from '../forms.ts';
import { offersUnderTest } from '../offers-under-test.ts';
import { click, countsOf, place, shuffled } from './placing.ts';

const under = offersUnderTest();
let offerId: number;
let path: string;
beforeEach(async () => {
  offerId = await createdId(under, startingNow);
  path = place(under, offerId).clickPath;
});

/** Clicks that had to wait for the database are counted too. */
const expectCounts = (id: number, expected: object) =>
  eventually(async () => expect(await countsOf(under, id)).toEqual(expected));

async function expectPage(of: string, status: number, text: string): Promise<void> {
  const answer = await click(under, of);
  expect([answer.status, answer.headers.get('location')]).toEqual([status, null]);
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.text).toContain(text);
}

describe('302', () => {
  it('leads to the page of the offer and counts a click; nothing is cached, told or stored', async () => {
    const { status, headers, text } = await click(under, path);
    expect([status, text]).toEqual([302, '']);
    expect(Object.fromEntries(headers)).toMatchObject({
      location: 'https://cafe.example/two-for-one',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex',
    });
    expect(headers.has('set-cookie')).toBe(false);
    await expectCounts(offerId, { clicks: 1 });
  });

  it('counts a click once, however often its address is opened', async () => {
    const other = place(under, offerId).clickPath;
    const opened = shuffled([...Array(10).fill(path), ...Array(10).fill(other)] as string[]);
    for (const { status } of await Promise.all(opened.map((one) => click(under, one))))
      expect(status).toBe(302);
    await expectCounts(offerId, { clicks: 2 });
  });

  it('leads to the url as browsers write it, whatever the request says', async () => {
    const url = 'https://käse.example/grüße?x=ä#ö';
    const id = await createdId(under, { ...startingNow, url });
    const { headers } = await click(
      under,
      `${place(under, id).clickPath}?url=https://elsewhere.example&to=//elsewhere.example`,
      { headers: { referer: 'https://elsewhere.example', 'x-forwarded-host': 'elsewhere.example' } },
    );
    expect(headers.get('location')).toBe(new URL(url).href);
    await expectCounts(id, { clicks: 1 });
  });

  it('has the UTM tags that the organisation wants, and none of another one', async () => {
    const setting = { on: true, source: 'dating', medium: 'cpc' };
    const put = (json: object, caller = {}) => under.call('PUT', '/portal/link-tags', { json, caller });
    const read = async (caller = {}) => (await under.call('GET', '/portal/link-tags', { caller })).body;
    expect(await read()).toEqual({ on: false, source: 'offer-ads', medium: 'display' });
    await put(setting, { organisationId: 2 });
    const leadsTo = async () => (await click(under, path)).headers.get('location');
    expect(await leadsTo()).toBe('https://cafe.example/two-for-one');
    await put(setting);
    expect(await read({ mode: 'LIVE' })).toEqual(setting);
    const tags = `utm_source=dating&utm_medium=cpc&utm_campaign=${offerId}-two-for-one`;
    expect(await leadsTo()).toBe(`https://cafe.example/two-for-one?${tags}`);
    await put({ ...setting, on: false });
    expect(await leadsTo()).toBe('https://cafe.example/two-for-one');
    expect(await put({ ...setting, source: 'a&b' })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('source: must be letters') },
    });
  });

  it('leads to offers that were paused or have ended, because the member saw them', async () => {
    await under.call('POST', `/offers/${offerId}/pause`);
    expect((await click(under, path)).status).toBe(302);
    under.clock.set('2026-06-01T23:30:00Z');
    expect((await click(under, path)).status).toBe(302);
    await expectCounts(offerId, { clicks: 1 });
  });

  it('counts a LIVE click for the LIVE offer', async () => {
    const liveId = await createdId(under, { ...startingNow, ...live[0] }, live[1]);
    expect((await click(under, place(under, liveId, { mode: 'LIVE' }).clickPath)).status).toBe(302);
    await expectCounts(liveId, { clicks: 1 });
  });

  it.each([
    ['HEAD', { method: 'HEAD' }],
    ['a browser that loads ahead', { headers: { 'sec-purpose': 'prefetch;prerender' } }],
  ])('%s is led on and counts nowhere; the click that follows counts', async (_, o) => {
    const { status, headers } = await click(under, path, o);
    expect([status, headers.get('location')]).toEqual([302, 'https://cafe.example/two-for-one']);
    expect(await countsOf(under, offerId)).toEqual({});
    await click(under, path);
    await expectCounts(offerId, { clicks: 1 });
  });

  it('a bot that says so is led on, and is counted beside the figures', async () => {
    const headers = { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1)' };
    expect((await click(under, path, { headers })).status).toBe(302);
    await expectCounts(offerId, { clicksAutomated: 1 });
  });
});

describe('a plain page', () => {
  it('answers addresses that nobody signed, and counts nothing', async () => {
    for (const forged of [
      `${path}A`,
      path.replace(/\.(.)/, (_, first: string) => (first === 'A' ? '.B' : '.A')),
      `/c/${place(under, offerId).viewToken}`,
      '/c/https:%2f%2felsewhere.example',
      '/c/x',
    ])
      await expectPage(forged, 404, 'Not found');
    expect(await countsOf(under, offerId)).toEqual({});
  });

  it('answers addresses that are older than a day', async () => {
    under.clock.advance(DAY_MS - 1);
    expect((await click(under, path)).status).toBe(302);
    under.clock.advance(1);
    await expectPage(path, 410, 'expired');
    await expectCounts(offerId, { clicks: 1 });
  });

  it('answers for an offer that was deleted, within a second', async () => {
    await click(under, path);
    await under.call('DELETE', `/offers/${offerId}`);
    const next = place(under, offerId).clickPath;
    await eventually(async () => expect((await click(under, next, { method: 'HEAD' })).status).toBe(410));
    await expectPage(next, 410, 'gone');
    await expectCounts(offerId, { clicks: 1 });
  });

  it('answers for an offer that the platform team has disabled, and leads on when it is enabled', async () => {
    const disabled = await under.admin('POST', `/admin/offers/${offerId}/disable`, { reason: 'its terms' });
    expect(disabled.status).toBe(200);
    await eventually(async () => expect((await click(under, path, { method: 'HEAD' })).status).toBe(410));
    await expectPage(path, 410, 'gone');
    await under.admin('POST', `/admin/offers/${offerId}/enable`);
    expect((await click(under, path)).status).toBe(302);
    await expectCounts(offerId, { clicks: 1 });
  });
});

describe('the log', () => {
  it('has the route and no token, pseudonym or address', async () => {
    const { logger, lines } = collectingLogger();
    const { config, clock } = under;
    await using offers = await startWhenStoresServe(() => startOffers(config, { clock, logger }));
    const shown = place(under, offerId, { viewer: 'ann-of-today' }).clickPath;
    for (const one of [shown, `${shown}A`]) await click(under, one, { to: offers });
    const log = await eventually(() => {
      const text = lines.join('\n');
      expect(text.match(/"route":"\/c\/:token"/g)).toHaveLength(2);
      return text;
    });
    for (const secret of [shown.slice(3, 20), 'ann-of-today', 'cafe.example', 'Firefox'])
      expect(log).not.toContain(secret);
  });
});
