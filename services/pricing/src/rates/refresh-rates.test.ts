import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createMetrics, type Metrics } from '@offer-ads/platform/telemetry/metrics';
import { dailyXml } from '@offer-ads/simulators/rates/daily-xml';
import { type TestClock, testClock } from '@offer-ads/testing/clock';
import { collectingLogger } from '@offer-ads/testing/logger';
import type { ReferenceRates } from '../domain/rates/exchange-rate.ts';
import { type CachedRates, cacheRates } from './cached-rates.ts';
import type { RatesStore } from './rates-store.ts';
import { type RatesRefresher, ratesRefresher } from './refresh-rates.ts';
import { ratesWatch } from './watch-rates.ts';

let server: Server;
let clock: TestClock;
let answer: () => string;
let asked: number;
let lines: string[];
let metrics: Metrics;
let store: RatesStore;
let cached: CachedRates;
let refresher: RatesRefresher;
let watch: () => void;

beforeEach(async () => {
  asked = 0;
  server = createServer((_, res) => {
    asked += 1;
    res.end(answer());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  // Thursday 19 November 2026, after that day's fixing.
  clock = testClock('2026-11-19T18:00:00Z');
  answer = () => dailyXml('2026-11-19');
  store = ratesInMemory();
  cached = await cacheRates(store);
  metrics = createMetrics('pricing');
  const log = collectingLogger();
  const { logger } = log;
  lines = log.lines;
  refresher = ratesRefresher({ url, store, cached, clock, logger, metrics });
  watch = ratesWatch({ cached, clock, logger, metrics });
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

function ratesInMemory(): RatesStore {
  const stored = new Map<string, ReferenceRates>();
  return {
    newest: async (most) => {
      const dates = [...stored.keys()].toSorted().toReversed().slice(0, most);
      return dates.map((date) => stored.get(date)!);
    },
    save: async (rates) => void stored.set(rates.date, rates),
    withdrawAfter: async (date) => {
      for (const later of [...stored.keys()].filter((each) => each > date)) stored.delete(later);
    },
  };
}

const latest = () => cached.latestDate(clock.now());
const dollar = () => cached.exchangeRate('USD', clock.now());
const metric = (name: string) => metrics.registry.getSingleMetricAsString(name);

async function refusals(): Promise<Record<string, number>> {
  const told = (await metric('pricing_rates_refused_total')).matchAll(/reason="([\w-]+)".*\} (\d+)/g);
  return Object.fromEntries([...told].map(([, reason = '', count]) => [reason, Number(count)]));
}
const noRefusals = { unreachable: 0, malformed: 0, 'wrong-date': 0, older: 0, jump: 0 };

/** The feed of the next day, when it is due. */
function onFriday(xml: string): void {
  clock.set('2026-11-20T15:00:00Z');
  answer = () => xml;
}
const doubledDollar = (date: string) => dailyXml(date).replace("'1.1582'", "'2.3164'");

describe('the rates', () => {
  it('are fetched when a newer fixing should be out that no replica has stored, and not before', async () => {
    await refresher.refreshWhenDue();
    expect([asked, latest()]).toEqual([1, '2026-11-19']);
    clock.set('2026-11-20T14:59:59Z');
    await refresher.refreshWhenDue();
    expect(asked).toBe(1);
    onFriday(dailyXml('2026-11-20'));
    await refresher.refreshWhenDue();
    expect([asked, latest()]).toEqual([2, '2026-11-20']);
    clock.set('2026-11-23T15:00:00Z');
    await store.save({ date: '2026-11-23', perEuroE8: new Map() }, clock.now());
    await cached.refresh();
    await refresher.refreshWhenDue();
    expect(asked).toBe(2);
  });

  it('are fetched again after 15 s, 30 s and so on, at most every quarter of an hour', async () => {
    answer = () => 'Service Unavailable';
    const askedAt: number[] = [];
    const began = clock.now().getTime();
    for (let second = 0; second <= 3_600; second += 5) {
      clock.set(new Date(began + second * 1_000));
      const before = asked;
      await refresher.refreshWhenDue();
      if (asked > before) askedAt.push(second);
    }
    expect(askedAt).toEqual([0, 15, 45, 105, 225, 465, 945, 1_845, 2_745]);
  });

  it('are fetched at once when they are due on the next day, after failures on the day before', async () => {
    answer = () => 'Service Unavailable';
    for (const minute of [0, 1, 2, 4]) {
      clock.set(new Date(Date.parse('2026-11-19T18:00:00Z') + minute * 60_000));
      await refresher.refreshWhenDue();
    }
    answer = () => dailyXml('2026-11-19');
    await refresher.refreshNow();
    await refresher.refreshWhenDue();
    onFriday('Service Unavailable');
    const before = asked;
    await refresher.refreshWhenDue();
    clock.advance(15_000);
    await refresher.refreshWhenDue();
    expect(asked).toBe(before + 2);
  });
});

describe('a faulty feed is refused, counted and logged as an error, and the last good rates stay', () => {
  beforeEach(() => refresher.refreshWhenDue());

  it.each([
    ['malformed', 'when it breaks off', dailyXml('2026-11-20').slice(0, 900)],
    ['wrong-date', 'when its date is in the future', dailyXml('2026-11-23')],
    ['older', 'when it goes back to an older date', dailyXml('2026-11-18')],
    ['jump', 'when a currency jumps', doubledDollar('2026-11-20')],
  ])('as %s %s', async (reason, _, xml) => {
    const before = dollar();
    onFriday(xml);
    await refresher.refreshWhenDue();
    expect([latest(), dollar()]).toEqual(['2026-11-19', before]);
    expect(await refusals()).toEqual({ ...noRefusals, [reason]: 1 });
    const told = lines.filter((line) => line.includes('"level":"error"'));
    expect(told).toEqual([expect.stringContaining(`"reason":"${reason}"`)]);
    // The alert ends as soon as the feed is right again.
    clock.advance(15_000);
    answer = () => dailyXml('2026-11-20');
    await refresher.refreshWhenDue();
    expect(latest()).toBe('2026-11-20');
  });

  it.each([
    ['a late fixing', dailyXml('2026-11-19'), undefined],
    ['stopping the loop', dailyXml('2026-11-20'), AbortSignal.abort()],
  ])('%s is no fault', async (_, xml, signal) => {
    onFriday(xml);
    await refresher.refreshWhenDue(signal);
    expect(latest()).toBe('2026-11-19');
    expect(await refusals()).toEqual(noRefusals);
    expect(lines.join()).not.toContain('"level":"error"');
  });
});

describe('a refresh by a person', () => {
  beforeEach(() => refresher.refreshWhenDue());

  it('accepts a jump, which is audited; the accepted rate is the last good one', async () => {
    onFriday(doubledDollar('2026-11-20'));
    expect(await refresher.refreshNow()).toMatchObject({
      reason: 'jump',
      problem: expect.stringContaining('--accept-jump 2026-11-20'),
    });
    expect(await refresher.refreshNow({ acceptJump: '2026-11-20' })).toMatchObject({ ok: true });
    const audit = lines.filter((line) => line.includes('"audit":true'));
    expect(audit).toEqual([expect.stringContaining('"date":"2026-11-20","jumps":["USD"]')]);
    clock.set('2026-11-23T15:00:00Z');
    answer = () => doubledDollar('2026-11-23');
    await refresher.refreshWhenDue();
    expect(latest()).toBe('2026-11-23');
  });

  it('keeps a correction with a jump waiting until some replica has accepted it', async () => {
    await refresher.refreshNow();
    answer = () => doubledDollar('2026-11-19');
    await refresher.refreshNow();
    await refresher.refreshWhenDue();
    const waiting = refresher.refused();
    if (waiting?.reason !== 'jump') throw new Error('no jump waits');
    expect(waiting.jump.currencies).toEqual(['USD']);
    await store.save(waiting.jump.rates, clock.now());
    await cached.refresh();
    await refresher.refreshWhenDue();
    expect(refresher.refused()).toBeNull();
  });

  it('deletes fixings that are newer than the newest of the feed', async () => {
    onFriday(dailyXml('2026-11-20'));
    await refresher.refreshWhenDue();
    answer = () => dailyXml('2026-11-18');
    expect(await refresher.refreshNow()).toMatchObject({ ok: true });
    expect(latest()).toBe('2026-11-18');
  });
});

describe('the age of the rates', () => {
  const age = async () =>
    /^pricing_rates_missing_fixings\{.*\} (\d+)$/m.exec(await metric('pricing_rates_missing_fixings'))?.[1];

  it('is the number of missing fixings, and 30 before the first fixing', async () => {
    watch();
    expect(await age()).toBe('30');
    await refresher.refreshWhenDue();
    for (const [now, missing] of [
      ['2026-11-19T18:00:00Z', '0'],
      ['2026-11-20T15:00:00Z', '1'],
      ['2026-11-23T15:00:00Z', '2'],
      ['2026-11-27T15:00:00Z', '6'],
      ['2028-01-01T00:00:00Z', '30'],
    ] as const) {
      clock.set(now);
      watch();
      expect(await age()).toBe(missing);
    }
  });

  it('is logged once as an error when they go out of date, and once when they are good again', async () => {
    await refresher.refreshWhenDue();
    lines.length = 0;
    watch();
    clock.set('2026-11-23T15:00:00Z');
    watch();
    watch();
    expect(lines).toEqual([expect.stringMatching(/"level":"error".*out of date/)]);
    answer = () => dailyXml('2026-11-23');
    await refresher.refreshWhenDue();
    lines.length = 0;
    watch();
    watch();
    expect(lines).toEqual([expect.stringContaining('good again')]);
  });
});
