import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { dailyXml } from '@offer-ads/dev/simulators/rates/daily-xml';
import { testClock } from '@offer-ads/testing/clock';
import type { ReferenceRates } from './domain/exchange-rate.ts';
import type { RatesStore } from './rates-store.ts';
import { ratesRefresher } from './refresh-rates.ts';

let server: Server;
let url: string;
let answer: () => string;
let asked: number;

beforeEach(async () => {
  asked = 0;
  server = createServer((_, res) => {
    asked += 1;
    res.end(answer());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

function ratesInMemory(): RatesStore {
  let stored: ReferenceRates | null = null;
  return {
    latest: async () => stored,
    save: async (rates) => {
      stored = rates;
    },
    withdrawAfter: async () => {},
  };
}

describe('the rates', () => {
  it('are fetched when a newer fixing should be out, and not before', async () => {
    const clock = testClock('2026-11-20T12:00:00Z');
    const rates = ratesInMemory();
    const { refreshWhenDue } = ratesRefresher({ url, rates, clock });
    answer = () => dailyXml('2026-11-19');
    await refreshWhenDue();
    expect(asked).toBe(1);
    await refreshWhenDue();
    expect(asked).toBe(1);

    clock.set('2026-11-20T15:00:00Z');
    await refreshWhenDue();
    expect(asked).toBe(2);
    answer = () => dailyXml('2026-11-20');
    await refreshWhenDue();
    expect((await rates.latest('2026-11-20'))?.date).toBe('2026-11-20');

    clock.set('2026-11-23T14:00:00Z');
    await refreshWhenDue();
    expect(asked).toBe(3);
  });

  it('that are due and cannot be had are a failure, and the last good ones stay', async () => {
    const clock = testClock('2026-11-19T18:00:00Z');
    const rates = ratesInMemory();
    const { refreshWhenDue } = ratesRefresher({ url, rates, clock });
    answer = () => dailyXml('2026-11-19');
    await refreshWhenDue();
    clock.set('2026-11-20T18:00:00Z');
    answer = () => 'Service Unavailable';
    await expect(refreshWhenDue()).rejects.toThrow(/not the central bank's document/);
    expect((await rates.latest('2026-11-20'))?.date).toBe('2026-11-19');
  });
});
