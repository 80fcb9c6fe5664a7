import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { placementsRequest } from '@offer-ads/contracts/community/placements-api';
import express from 'express';
import { listen, type WebServer } from '../web-server.ts';
import { startSampleCommunity } from './server.ts';

type Call = {
  readonly key: string | undefined;
  readonly path: string;
  readonly body: Record<string, unknown>;
};

const member = { latitude: 51.5, longitude: -0.12, gender: 'Female', interests: [1], wanted: 6 };
let now = new Date('2026-06-01T12:00:00Z');
const calls: Call[] = [];
let api: WebServer;
let community: WebServer;
beforeAll(async () => {
  const app = express();
  app.post(/.*/, express.json(), (req, res) => {
    calls.push({ key: req.get('x-api-key'), path: req.path, body: req.body as Call['body'] });
    res.status(req.get('x-api-key') === 'live' ? 429 : 200).json({ message: 'answered' });
  });
  api = await listen(app, { host: '127.0.0.1', port: 0 });
  const keys = { TEST: 'test', LIVE: 'live' };
  community = await startSampleCommunity({ apiUrl: api.url, keys, clock: { now: () => now } });
});
afterAll(async () => {
  await community[Symbol.asyncDispose]();
  await api[Symbol.asyncDispose]();
});
beforeEach(() => {
  calls.length = 0;
});

async function ask(path: string, body: object, cookie = '') {
  const reply = await fetch(community.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie },
    body: JSON.stringify(body),
  });
  return { status: reply.status, body: await reply.json(), cookie: reply.headers.get('set-cookie') ?? '' };
}

describe('the sample community page', () => {
  it.each(['/', '/sample.js', '/sample.css'])('%s is served without a placement key in it', async (path) => {
    const reply = await fetch(community.url + path);
    expect([reply.status, reply.headers.get('content-security-policy')]).toEqual([
      200,
      expect.stringContaining("default-src 'none'"),
    ]);
    expect(await reply.text()).not.toMatch(/x-api-key/);
  });

  it('asks with the key of the mode, and passes the answer on', async () => {
    expect(await ask('/test/offers', member)).toMatchObject({ status: 200, body: { message: 'answered' } });
    expect(await ask('/live/seen', { view_tokens: ['a'] })).toMatchObject({ status: 429 });
    expect(calls).toMatchObject([
      { key: 'test', path: '/placements' },
      { key: 'live', path: '/placements/views', body: { view_tokens: ['a'] } },
    ]);
    expect((await ask('/other/offers', member)).status).toBe(404);
    expect(calls).toHaveLength(2);
  });

  it('gives each member another pseudonym each day, and never an id', async () => {
    const first = await ask('/test/offers', member);
    const cookie = first.cookie.split(';')[0] ?? '';
    await ask('/test/offers', member, cookie);
    await ask('/test/offers', member);
    now = new Date('2026-06-02T00:00:00Z');
    await ask('/test/offers', member, cookie);
    const viewers = calls.map(({ body }) => placementsRequest.parse(body).viewer);
    expect(viewers[1]).toBe(viewers[0]);
    expect(new Set(viewers).size).toBe(3);
    expect(JSON.stringify(calls)).not.toContain(cookie.slice('member='.length));
  });

  it('says so when the advertising service does not answer', async () => {
    await using alone = await startSampleCommunity({
      apiUrl: 'http://127.0.0.1:1',
      keys: { TEST: '', LIVE: '' },
    });
    const reply = await fetch(`${alone.url}/test/seen`, { method: 'POST' });
    expect([reply.status, await reply.json()]).toEqual([
      503,
      { message: 'the advertising service does not answer' },
    ]);
  });
});
