/** Clicks while the database is slow or away: browsers are led on, and each click counts once afterwards. */
import { afterAll, beforeEach, expect, it } from '@jest/globals';
import { startWhenStoresServe } from '@offer-ads/platform/process/start-when-stores-serve';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { silentLogger } from '@offer-ads/testing/logger';
import { startTcpProxy } from '@offer-ads/testing/stores/tcp-proxy';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { type Offers, startOffers } from '../../src/service.ts';
import { createdId, startingNow } from '../forms.ts';
import { offersUnderTest } from '../offers-under-test.ts';
import { click, countsOf, place } from './placing.ts';

const under = offersUnderTest();
/** Between the replica and its database. */
const wire = forAllTests(() => startTcpProxy(under.config.OFFERS_DATABASE_URL));
const replica = forAllTests(() => startBehindWire());
let offerId: number;

const startBehindWire = () =>
  startWhenStoresServe(() =>
    startOffers(
      { ...under.config, OFFERS_DATABASE_URL: wire.url },
      { clock: under.clock, logger: silentLogger },
    ),
  );

afterAll(async () => {
  wire.bringBack();
});
beforeEach(async () => {
  wire.bringBack();
  offerId = await createdId(under, startingNow);
});

const newPath = (id = offerId) => place(under, id).clickPath;
const open = (path: string) => click(under, path, { to: replica });

const isKnown = (to: Offers, id = offerId) =>
  eventually(() => expect(to.followed.addressOf(id, 60_000)).toBeDefined());

it('a click that cannot be written now does not hold the browser up, and counts once later', async () => {
  const path = newPath();
  await under.postgres.transaction(async (tx) => {
    await tx.query('LOCK TABLE traffic_inbox IN ACCESS EXCLUSIVE MODE');
    for (let times = 0; times < 3; times += 1) expect((await open(path)).status).toBe(302);
  });
  await eventually(async () => expect(await countsOf(under, offerId)).toEqual({ clicks: 1 }));
  await replica.clicks.retry();
  expect(await countsOf(under, offerId)).toEqual({ clicks: 1 });
});

it.each([
  ['refuses connections', () => wire.takeDown()],
  ['is silent', () => wire.freeze({ newToo: true })],
])(
  'while the database %s, browsers are led to offers that members are shown, and their clicks count afterwards',
  async (_, fail) => {
    await isKnown(replica);
    fail();
    const paths = [newPath(), newPath()];
    for (const path of [...paths, ...paths]) {
      const { status, headers } = await open(path);
      expect([status, headers.get('location')]).toEqual([302, 'https://cafe.example/two-for-one']);
    }
    expect(await countsOf(under, offerId)).toEqual({});
    // What hangs is broken, as a restart of the database does.
    wire.cut();
    wire.bringBack();
    await eventually(async () => expect(await countsOf(under, offerId)).toEqual({ clicks: 2 }));
  },
);

it('while the database is away, a page asks to try again where members are no longer shown the offer', async () => {
  const path = newPath();
  await under.call('POST', `/offers/${offerId}/pause`);
  await eventually(() => expect(replica.followed.addressOf(offerId, 60_000)).toBeUndefined());
  wire.takeDown();
  const { status, headers, text } = await open(path);
  expect([status, headers.get('location'), headers.get('retry-after')]).toEqual([503, null, '60']);
  expect(text).toContain('try again');
  wire.bringBack();
  await eventually(async () => expect((await open(path)).status).toBe(302));
});

it('clicks that wait are written when the replica stops', async () => {
  const stopping = await startBehindWire();
  await isKnown(stopping);
  wire.takeDown();
  expect((await click(under, newPath(), { to: stopping })).status).toBe(302);
  wire.bringBack();
  await stopping[Symbol.asyncDispose]();
  expect(await countsOf(under, offerId)).toEqual({ clicks: 1 });
});
