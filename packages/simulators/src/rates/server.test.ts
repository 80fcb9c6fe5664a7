import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { WebServer } from '../web-server.ts';
import { ratesPath, startRatesSimulator } from './server.ts';
import { easterSunday, latestFixing } from './target-calendar.ts';

describe('the date of the newest rates', () => {
  it.each([
    ['on a weekday after the publication is that day', '2026-11-20T15:00:00Z', '2026-11-20'],
    ['on a weekday before 16:00 in Frankfurt is the day before', '2026-11-20T14:59:59Z', '2026-11-19'],
    ['in summer changes an hour earlier in UTC', '2026-07-01T14:00:00Z', '2026-07-01'],
    ['on a Monday morning is Friday', '2026-11-23T09:00:00Z', '2026-11-20'],
    ['on Easter Monday is Maundy Thursday', '2027-03-29T18:00:00Z', '2027-03-25'],
    ['on the second day of Christmas is Christmas Eve', '2025-12-26T18:00:00Z', '2025-12-24'],
    ['on New Year is in the old year', '2027-01-01T18:00:00Z', '2026-12-31'],
    ['on the first of May is the day before', '2026-05-01T18:00:00Z', '2026-04-30'],
  ])('%s', (_, now, date) => {
    expect(latestFixing(new Date(now))).toBe(date);
  });

  it('some days ago is a business day too', () => {
    expect(latestFixing(new Date('2026-11-18T18:00:00Z'), 10)).toBe('2026-11-06');
  });

  it('depends on Easter', () => {
    const dates = [2024, 2025, 2026, 2027].map((year) => easterSunday(year).toISOString().slice(0, 10));
    expect(dates).toEqual(['2024-03-31', '2025-04-20', '2026-04-05', '2027-03-28']);
  });
});

describe('the daily file', () => {
  let simulator: WebServer;
  const read = async () => {
    const reply = await fetch(simulator.url + ratesPath);
    return { status: reply.status, text: await reply.text() };
  };
  const set = (faults: object) =>
    fetch(`${simulator.url}/sim/rates`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(faults),
    });
  beforeAll(async () => {
    simulator = await startRatesSimulator({ clock: { now: () => new Date('2026-11-20T18:00:00Z') } });
  });
  afterAll(async () => {
    await simulator[Symbol.asyncDispose]();
  });
  beforeEach(() => set({}));

  it('has the date and every currency once', async () => {
    const { text } = await read();
    expect(text).toContain("<Cube time='2026-11-20'>");
    const currencies = [...text.matchAll(/<Cube currency='([A-Z]{3})' rate='[\d.]+'\/>/g)].map(
      (match) => match[1],
    );
    expect(new Set(currencies).size).toBe(29);
    expect(currencies).toHaveLength(29);
  });

  it('is stale, incomplete or unavailable when a test asks for it', async () => {
    await set({ staleDays: 10 });
    expect((await read()).text).toContain("<Cube time='2026-11-10'>");
    await set({ malformed: true });
    expect((await read()).text).not.toContain('</gesmes:Envelope>');
    await set({ factors: { USD: 1.3 } });
    expect((await read()).text).toContain("<Cube currency='USD' rate='1.50566'/>");
    await set({ down: true });
    expect((await read()).status).toBe(503);
    await set({});
    expect((await read()).text).toContain("<Cube time='2026-11-20'>");
    expect((await set({ missing: true })).status).toBe(400);
  });
});
