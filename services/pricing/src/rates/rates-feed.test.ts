import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { dailyXml } from '@offer-ads/simulators/rates/daily-xml';
import { fc } from '@offer-ads/testing/profile';
import { fetchRates, parseRates } from './rates-feed.ts';

const now = new Date('2026-11-20T18:00:00Z');
const xml = dailyXml('2026-11-20');

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

  const notTheDocument = ['malformed', /^the feed is not the central bank's document/] as const;
  const noRate = ['malformed', /^the rate of USD is not a positive/] as const;
  const noFixing = (day: string) =>
    ['wrong-date', new RegExp(`dated ${day}, on which there is no fixing$`)] as const;
  it.each([
    ['is empty', '', ...notTheDocument],
    ['is a web page', '<!doctype html><html><body>Down</body></html>', ...notTheDocument],
    ['has no rates', xml.replace(/<Cube currency.*\/>/g, ''), ...notTheDocument],
    ['has no date', xml.replace(" time='2026-11-20'", ''), ...notTheDocument],
    ['has an impossible date', xml.replace('2026-11-20', '2026-02-30'), ...notTheDocument],
    ['has two days', xml.replace('</Cube>\n</g', "<Cube time='2026-11-19'/></Cube>\n</g"), ...notTheDocument],
    ['has a code that is no currency', xml.replace("'USD'", "'us$'"), ...notTheDocument],
    ['has a currency without a rate', xml.replace(" rate='1.1582'", ''), ...notTheDocument],
    ['is dated tomorrow', dailyXml('2026-11-21'), 'wrong-date', /dated 2026-11-21, which is in the future$/],
    ['is dated a Sunday', dailyXml('2026-11-15'), ...noFixing('2026-11-15')],
    ['is dated Good Friday', dailyXml('2026-04-03'), ...noFixing('2026-04-03')],
    ['has a negative rate', xml.replace("'1.1582'", "'-1.1582'"), ...noRate],
    ['has a rate with an exponent', xml.replace("'1.1582'", "'1e3'"), ...noRate],
    ['has a currency twice', xml.replace("'JPY'", "'USD'"), 'malformed', /^USD is in the feed twice$/],
    ['lacks the pound', xml.replace("'GBP'", "'XXX'"), 'malformed', /^the feed has no rate of GBP/],
  ])('is refused when it %s', (_, text, reason, problem) => {
    expect(parseRates(text, now)).toEqual({ ok: false, reason, problem: expect.stringMatching(problem) });
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

  it('stops reading at the greatest size of a document', async () => {
    const url = await feedThat((_, res) => {
      const more = () => {
        while (res.write('x'.repeat(10_000)));
      };
      res.on('drain', more);
      more();
    });
    const problem = 'the feed is longer than 200000 bytes';
    expect(await fetchRates({ url, now })).toEqual({ ok: false, reason: 'malformed', problem });
  });

  const unreachable = {
    ok: false,
    reason: 'unreachable',
    problem: expect.stringMatching(/^the feed cannot be reached/),
  };

  it('reports that the feed cannot be reached', async () => {
    expect(await fetchRates({ url: 'http://127.0.0.1:1/', now })).toEqual(unreachable);
    const failing = await feedThat((_, res) => res.writeHead(500).end('oops'));
    expect(await fetchRates({ url: failing, now })).toMatchObject({ reason: 'unreachable' });
  });

  it('stops after the deadline when the feed sends slowly, and at the signal', async () => {
    const url = await feedThat((_, res) => {
      const trickle = setInterval(() => res.write(' '), 10);
      res.on('close', () => clearInterval(trickle));
    });
    expect(await fetchRates({ url, now, timeoutMs: 100 })).toEqual(unreachable);
    expect(await fetchRates({ url, now, signal: AbortSignal.timeout(100) })).toEqual(unreachable);
  });
});
