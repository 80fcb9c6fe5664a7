/** Offers in memory: no change is missed, also while the database is away and while they are read for the first time; and there is a bound. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Postgres } from '@offer-ads/platform/postgres/postgres';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { collectingLogger, silentLogger } from '@offer-ads/testing/logger';
import { gif } from '@offer-ads/testing/pictures/pictures';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { followLiveOffers } from '../../src/placements/follow-live-offers.ts';
import { clickTargets } from '../../src/traffic/click-targets.ts';
import { createdId, formOf, startingNow } from '../forms.ts';
import { offersUnderTest } from '../offers-under-test.ts';

const under = offersUnderTest();
const here = { latitude: 51.51, longitude: -0.13, gender: 'Female', interests: [] } as const;
const staleAfterMs = 60_000;
const TEN_MINUTES_MS = 600_000;

let isAway: boolean;
let server: string | undefined;
let elapsedMs: number;
beforeEach(() => {
  isAway = false;
  server = undefined;
  elapsedMs = 0;
});

/** The database of the test, until it is away or another server answers. */
function database(): typeof under.postgres {
  const { postgres } = under;
  return {
    ...postgres,
    query: async <Row extends object>(...[statement, values]: Parameters<Postgres['query']>) => {
      if (isAway) throw new Error('the database is away');
      const rows = await postgres.query<Row>(statement, values);
      for (const row of rows) if (server !== undefined && 'server' in row) Object.assign(row, { server });
      return rows;
    },
  };
}

function follow(o: Partial<Parameters<typeof followLiveOffers>[0]> = {}) {
  return under.use(
    followLiveOffers({
      postgres: database(),
      clock: under.clock,
      logger: silentLogger,
      metrics: createMetrics('test'),
      staleAfterMs,
      room: { LIVE: 1_000, TEST: 1_000 },
      elapsedMs: () => elapsedMs,
      ...o,
    }),
  );
}

function seen(followed: ReturnType<typeof follow>): number[] {
  return followed
    .current()
    .offers.matching('TEST', here, under.clock.now())
    .map(({ offerId }) => offerId)
    .toSorted((a, b) => a - b);
}
const url = 'https://cafe.example/two-for-one';
const unavailable = expect.objectContaining({ status: 503 });
const setPause = 'UPDATE offers SET paused_since = now() WHERE offer_id = $1';

describe('offers in memory', () => {
  it('answer nothing before all of them were read', async () => {
    const offerId = await createdId(under, startingNow);
    isAway = true;
    const followed = follow();
    await followed.refresh().catch(() => {});
    expect(() => seen(followed)).toThrow(unavailable);
    isAway = false;
    await followed.refresh();
    expect(seen(followed)).toEqual([offerId]);
  });

  it('have the texts, the picture and the address of an edit on every replica at its next look', async () => {
    const offerId = await createdId(under, startingNow);
    const followed = follow();
    await followed.refresh();
    const [before] = followed.current().offers.matching('TEST', here, under.clock.now());
    const body = formOf({ title: 'Three for one', url: 'https://cafe.example/three' }, await gif());
    expect((await under.call('PATCH', `/offers/${offerId}`, { body })).status).toBe(200);
    await followed.refresh();
    const [after] = followed.current().offers.matching('TEST', here, under.clock.now());
    expect(before).toMatchObject({ url });
    expect(after).toMatchObject({ url: 'https://cafe.example/three' });
    expect(after?.image).not.toBe(before?.image);
    expect(JSON.parse(after?.card ?? '')).toMatchObject({ offer_id: offerId, title: 'Three for one' });
  });

  it('have a change that was committed after later ones, and each change of many concurrent writers', async () => {
    const ids: number[] = [];
    for (let count = 0; count < 8; count += 1) ids.push(await createdId(under, startingNow));
    const [slow = 0, other = 0, ...others] = ids;
    const followed = follow();
    await followed.refresh();
    await under.postgres.transaction(async (tx) => {
      await tx.query(setPause, [slow]);
      await under.postgres.query(setPause, [other]);
      await followed.refresh();
      expect(seen(followed)).toEqual([slow, ...others]);
      await followed.refresh();
    });
    await followed.refresh();
    expect(seen(followed)).toEqual(others);

    const written = new AbortController();
    const looks = (async () => {
      while (!written.signal.aborted) await followed.refresh();
    })();
    const write = async (offerId: number) => {
      for (let round = 0; round < 20; round += 1)
        await under.postgres.transaction(async (tx) => {
          const isPaused = (round + offerId) % 2 === 0;
          await tx.query('UPDATE offers SET paused_since = $2 WHERE offer_id = $1', [
            offerId,
            isPaused ? new Date() : null,
          ]);
          // Transactions of different lengths, so that they end in another order than they began.
          if (round % 3 === 0) await tx.query('SELECT pg_sleep(0.01)');
        });
    };
    await Promise.all(others.map(write)).finally(() => written.abort());
    await looks;
    await followed.refresh();
    expect(seen(followed)).toEqual(others.filter((offerId) => (19 + offerId) % 2 !== 0));
  });

  it('are those last known while the database is away, for the time of the setting; then they answer 503, and then go on', async () => {
    const first = await createdId(under, startingNow);
    const followed = follow();
    await followed.refresh();
    isAway = true;
    const second = await createdId(under, startingNow);
    await expect(followed.refresh()).rejects.toThrow('away');
    elapsedMs = staleAfterMs;
    expect(seen(followed)).toEqual([first]);
    elapsedMs += 1;
    expect(() => seen(followed)).toThrow(unavailable);
    isAway = false;
    await followed.refresh();
    expect(seen(followed)).toEqual([first, second]);
  });

  it('end by the clock also while the database is away', async () => {
    await createdId(under, { ...startingNow, expiry_datetime: '2026-06-01T12:05:00Z' });
    const followed = follow();
    await followed.refresh();
    isAway = true;
    expect(seen(followed)).toHaveLength(1);
    under.clock.set('2026-06-01T12:05:00Z');
    expect(seen(followed)).toEqual([]);
  });

  it('know for an hour where clicks lead while the database is away, and whether they still do as soon as it is back', async () => {
    const [offerId, paused] = [await createdId(under, startingNow), await createdId(under, startingNow)];
    await under.call('POST', `/offers/${paused}/pause`);
    const followed = follow();
    await followed.refresh();
    const targets = clickTargets({ postgres: database(), followed });
    expect(await targets.find(paused)).toBe(url);
    isAway = true;
    for (elapsedMs of [0, 1_001, 3_600_000]) {
      expect(await targets.find(offerId)).toBe(url);
      await expect(targets.find(paused)).rejects.toThrow('away');
    }
    elapsedMs += 1;
    await expect(targets.find(offerId)).rejects.toThrow('away');
    isAway = false;
    await under.admin('POST', `/admin/offers/${offerId}/disable`, { reason: 'its terms' });
    expect(await targets.find(offerId)).toBeNull();
  });

  it('are all read again when another server answers, and every ten minutes', async () => {
    const [changed, stays] = [await createdId(under, startingNow), await createdId(under, startingNow)];
    // Offers are read again while a transaction runs that is older than they are, also one of another test on this server.
    await eventually(async () =>
      expect(
        await under.postgres.query(
          'SELECT FROM offers WHERE changed_in >= pg_snapshot_xmin(pg_current_snapshot())',
        ),
      ).toEqual([]),
    );
    const followed = follow();
    await followed.refresh();
    const pauseUnseen = (isPaused: boolean) =>
      under.postgres.transaction(async (tx) => {
        await tx.query('ALTER TABLE offers DISABLE TRIGGER mark_change');
        await tx.query('UPDATE offers SET paused_since = $2 WHERE offer_id = $1', [
          changed,
          isPaused ? new Date() : null,
        ]);
        await tx.query('ALTER TABLE offers ENABLE TRIGGER mark_change');
      });
    await pauseUnseen(true);
    await followed.refresh();
    expect(seen(followed)).toEqual([changed, stays]);
    server = 'another';
    await followed.refresh();
    expect(seen(followed)).toEqual([stays]);
    await pauseUnseen(false);
    elapsedMs = TEN_MINUTES_MS - 1;
    await followed.refresh();
    expect(seen(followed)).toEqual([stays]);
    elapsedMs += 1;
    await followed.refresh();
    expect(seen(followed)).toEqual([changed, stays]);
  });

  it('are bounded, and one that finds no room is reported, and shown when another has ended', async () => {
    const ids: number[] = [];
    for (const _ of [1, 2, 3]) ids.push(await createdId(under, startingNow));
    const { logger, lines } = collectingLogger();
    const metrics = createMetrics('test');
    const followed = follow({ room: { LIVE: 0, TEST: 2 }, logger, metrics });
    await followed.refresh();
    expect(seen(followed)).toHaveLength(2);
    const text = await metrics.registry.metrics();
    expect(text).toMatch(/^placement_offers\{mode="TEST"\S* 2$/m);
    expect(text).toMatch(/^placement_offers_room\{mode="TEST"\S* 2$/m);
    expect(text).toMatch(/^placement_offers_left_out_total\{mode="TEST"\S* [1-9]\d*$/m);
    expect(text).toMatch(/^placement_offers_left_out_total\{mode="LIVE"\S* 0$/m);
    expect(lines.join('\n')).toContain('too many are in memory');
    await under.call('DELETE', `/offers/${seen(followed)[0]}`);
    elapsedMs = TEN_MINUTES_MS;
    await followed.refresh();
    expect(seen(followed)).toEqual(ids.slice(1));
  });
});
