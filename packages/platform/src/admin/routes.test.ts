import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import express from 'express';
import { type HttpServer, startHttpServer } from '../http/server.ts';
import { systemClock } from '../process/clock.ts';
import { createLogger } from '../telemetry/logging.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { requireAdmin } from './routes.ts';
import { adminCredential, hashEntry } from './tokens.ts';

const tokens = {
  ann: 'the-token-of-ann-0123456789-abcdefgh',
  console: 'the-token-of-the-console-0123456789',
};
const token = adminCredential(tokens.ann, 'offers');
const consoleToken = adminCredential(tokens.console, 'offers');
const tokenHashes = [
  hashEntry('ann', tokens.ann, 'offers'),
  hashEntry('console', tokens.console, 'offers'),
].join();
const lines: string[] = [];
let server: HttpServer;
/** Done at once, answered when the test says so. */
const slowThing = { done: false, reply: () => {} };

beforeAll(async () => {
  const logger = createLogger({
    service: 'offers',
    level: 'info',
    destination: { write: (line) => lines.push(line) },
  });
  server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    logger,
    metrics: createMetrics('offers'),
    clock: systemClock,
    readiness: async () => [],
    routes: (app) => {
      app.get('/admin/things/:id', requireAdmin({ tokenHashes, logger }), (_req, res) => {
        res.json({ ok: true });
      });
      app.post('/admin/things/:id', requireAdmin({ tokenHashes, logger }), express.json(), (_req, res) => {
        res.json({ ok: true });
      });
      app.post('/admin/slow-things/:id', requireAdmin({ tokenHashes, logger }), (_req, res) => {
        slowThing.done = true;
        slowThing.reply = () => res.json({ ok: true });
      });
    },
  });
});
afterAll(async () => server[Symbol.asyncDispose]());

function call(authorization?: string, actor?: string) {
  const headers = {
    ...(actor === undefined ? {} : { 'x-admin-actor': actor }),
    ...(authorization === undefined ? {} : { authorization }),
  };
  return fetch(`${server.url}/admin/things/5`, { headers });
}

const audited = () =>
  lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter((line) => line.audit === true);

describe('an internal admin route', () => {
  it('lets the credential pass and audits who called which route with which outcome', async () => {
    lines.length = 0;
    expect((await call(`Bearer ${token}`)).status).toBe(200);
    expect(audited()).toMatchObject([
      { actor: 'ann', method: 'GET', route: '/admin/things/:id', status: 200, msg: 'admin call' },
    ]);
  });

  it('takes the name from the credential, whatever name its owner claims', async () => {
    lines.length = 0;
    expect((await call(`Bearer ${token}`, 'bo')).status).toBe(200);
    expect(audited()).toMatchObject([{ actor: 'ann' }]);
    expect(audited()[0]).not.toHaveProperty('via');
  });

  it('believes the console in whose name it calls, and says that it came from there', async () => {
    lines.length = 0;
    await call(`Bearer ${consoleToken}`, 'bo');
    await call(`Bearer ${consoleToken}`);
    const [named, unnamed] = audited();
    expect([named, unnamed]).toMatchObject([{ actor: 'bo', via: 'console' }, { actor: 'console' }]);
    expect(unnamed).not.toHaveProperty('via');
  });

  it('audits which one was changed and why, where a reason was given, on one line', async () => {
    lines.length = 0;
    await fetch(`${server.url}/admin/things/5?name=jo`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ reason: 'unpaid\nsince May' }),
    });
    expect(audited()).toMatchObject([{ path: '/admin/things/5', reason: 'unpaid since May' }]);
  });

  it('audits what a caller did who hung up before the reply', async () => {
    lines.length = 0;
    const hangUp = new AbortController();
    const headers = { authorization: `Bearer ${token}` };
    const call = fetch(`${server.url}/admin/slow-things/5`, {
      method: 'POST',
      headers,
      signal: hangUp.signal,
    });
    await eventually(() => expect(slowThing.done).toBe(true));
    hangUp.abort();
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
    await eventually(() =>
      expect(audited()).toMatchObject([
        { actor: 'ann', method: 'POST', path: '/admin/slow-things/5', status: 499 },
      ]),
    );
    // Too late for anybody to hear, and told once.
    slowThing.reply();
    expect(audited()).toHaveLength(1);
  });

  it('audits nothing that somebody without the credential has written', async () => {
    lines.length = 0;
    const body = JSON.stringify({ reason: 'a made-up reason' });
    await fetch(`${server.url}/admin/things/made-up-id`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-admin-actor': 'made-up' },
      body,
    });
    expect(audited()).toHaveLength(1);
    expect(lines.join()).not.toContain('made-up');
  });

  it.each([
    ['no credential', undefined],
    ['a wrong credential', `Bearer ${token}x`],
    ['another scheme', `Basic ${token}`],
    ['the hash that its setting holds', `Bearer ${tokenHashes.split(/[:,]/)[1]}`],
    ['the token itself, of which the credential is made', `Bearer ${tokens.ann}`],
    ['the credential of another service', `Bearer ${adminCredential(tokens.ann, 'billing')}`],
  ])('refuses %s with 401, audited too', async (_case, authorization) => {
    lines.length = 0;
    const response = await call(authorization);
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({ message: 'Unauthorised' });
    expect(audited()).toMatchObject([{ status: 401, msg: 'admin call refused' }]);
  });

  it('never logs the credential', async () => {
    await call(`Bearer ${token}`);
    expect(lines.join()).not.toContain(token);
  });
});
