import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { dailyXml } from '@offer-ads/simulators/rates/daily-xml';
import { fc } from '@offer-ads/testing/profile';
import { type FeedResult, fetchRates, parseRates } from './rates-feed.ts';

const now = new Date('2026-11-20T18:00:00Z');
const xml = dailyXml('2026-11-20');

function problemOf(result: FeedResult): string {
  if (result.ok) throw new Error('was accepted');
  return result.problem;
}

describe("the central bank's document", () => {
  it('gives the date of the fixing and every rate without loss', () => {
    const result = parseRates(xml, now);
    if (!result.ok) throw new Error(result.problem);
    expect(result.rates.date).toBe('2026-11-20');
    expect(result.rates.perEuroE8.size).toBe(29);
    expect(result.rates.perEuroE8.get('USD')).toBe(115_820_000n);
    expect(result.rates.perEuroE8.get('IDR')).toBe(1_930_187_000_000n);
  });

  it('may have the date of today in Frankfurt, or an earlier one', () => {
    const lateEvening = new Date('2026-11-19T23:30:00Z');
    expect(parseRates(dailyXml('2026-11-20'), lateEvening).ok).toBe(true);
    expect(parseRates(dailyXml('2026-11-10'), now).ok).toBe(true);
  });

  const notTheDocument = /^the feed is not the central bank's document/;
  it.each([
    ['is empty', '', notTheDocument],
    ['is no XML', 'Service Unavailable', notTheDocument],
    ['is a web page', '<!doctype html><html><body>Down</body></html>', notTheDocument],
    ['breaks off', xml.slice(0, 700), notTheDocument],
    ['has no rates', xml.replace(/<Cube currency.*\/>/g, ''), notTheDocument],
    ['has no date', xml.replace(" time='2026-11-20'", ''), notTheDocument],
    ['has an impossible date', xml.replace('2026-11-20', '2026-02-30'), notTheDocument],
    ['has two days', xml.replace('</Cube>\n</g', "<Cube time='2026-11-19'/></Cube>\n</g"), notTheDocument],
    ['has a code that is no currency', xml.replace("'USD'", "'us$'"), notTheDocument],
    ['has a currency without a rate', xml.replace(" rate='1.1582'", ''), notTheDocument],
    ['is dated tomorrow', dailyXml('2026-11-21'), /dated 2026-11-21, which is in the future$/],
    ['is dated a Sunday', dailyXml('2026-11-15'), /dated 2026-11-15, on which there is no fixing$/],
    ['is dated Good Friday', dailyXml('2026-04-03'), /dated 2026-04-03, on which there is no fixing$/],
    ['has a negative rate', xml.replace("'1.1582'", "'-1.1582'"), /^the rate of USD is not a positive/],
    ['has a rate of zero', xml.replace("'1.1582'", "'0.0000'"), /^the rate of USD is not a positive/],
    ['has a rate that is no number', xml.replace("'1.1582'", "'N/A'"), /^the rate of USD is not a positive/],
    ['has a rate with an exponent', xml.replace("'1.1582'", "'1e3'"), /^the rate of USD is not a positive/],
    ['has a currency twice', xml.replace("'JPY'", "'USD'"), /^USD is in the feed twice$/],
    ['lacks the pound', xml.replace("'GBP'", "'XXX'"), /^the feed has no rate of GBP/],
  ])('is refused when it %s', (_, text, problem) => {
    expect(problemOf(parseRates(text, now))).toMatch(problem);
  });

  it.each([
    ['malformed', xml.slice(0, 700)],
    ['malformed', xml.replace("'1.1582'", "'-1.1582'")],
    ['malformed', xml.replace("'GBP'", "'XXX'")],
    ['wrong-date', dailyXml('2026-11-21')],
    ['wrong-date', dailyXml('2026-11-15')],
  ])('is refused as %s, the word for metrics', (reason, text) => {
    expect(parseRates(text, now)).toMatchObject({ ok: false, reason });
  });

  it('is refused as a whole wherever a transfer breaks off', () => {
    fc.assert(
      fc.property(fc.nat(xml.trimEnd().length - 1), (length) => {
        expect(parseRates(xml.slice(0, length), now).ok).toBe(false);
      }),
    );
  });
});

describe('fetching the rates', () => {
  let server: Server | undefined;

  afterEach(async () => {
    if (server === undefined) return;
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
    server = undefined;
  });

  async function feedThat(answers: RequestListener): Promise<string> {
    server = createServer(answers).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/rates.xml`;
  }

  it('returns the rates', async () => {
    const url = await feedThat((_, res) => res.end(xml));
    expect(await fetchRates({ url, now })).toMatchObject({ ok: true, rates: { date: '2026-11-20' } });
  });

  it('reports an error status of the feed', async () => {
    const url = await feedThat((_, res) => res.writeHead(500).end('oops'));
    expect(await fetchRates({ url, now })).toEqual({
      ok: false,
      reason: 'unreachable',
      problem: 'the feed answered 500',
    });
  });

  it('stops reading at the greatest size of a document', async () => {
    const url = await feedThat((_, res) => {
      const more = () => {
        while (res.write('x'.repeat(10_000)));
      };
      res.on('drain', more);
      more();
    });
    expect(problemOf(await fetchRates({ url, now }))).toBe('the feed is longer than 200000 bytes');
  });

  it('reports that the feed cannot be reached', async () => {
    expect(problemOf(await fetchRates({ url: 'http://127.0.0.1:1/', now }))).toMatch(
      /^the feed cannot be reached/,
    );
  });

  it('stops after the deadline when the feed sends slowly', async () => {
    let trickle: NodeJS.Timeout | undefined;
    const url = await feedThat((_, res) => {
      trickle = setInterval(() => res.write(' '), 10);
      res.on('close', () => clearInterval(trickle));
    });
    const result = await fetchRates({ url, now, timeoutMs: 100 });
    expect(result).toMatchObject({ ok: false, reason: 'unreachable' });
  });

  it('stops at the signal when the feed never ends its answer', async () => {
    const stop = new AbortController();
    const url = await feedThat((_, res) => {
      res.write(xml.slice(0, 100));
      stop.abort();
    });
    expect(problemOf(await fetchRates({ url, now, signal: stop.signal }))).toMatch(
      /^the feed cannot be reached/,
    );
  });
});
