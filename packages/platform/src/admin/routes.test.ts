import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startTestServer } from '@offer-ads/testing/http-server';
import { collectingLogger } from '@offer-ads/testing/logger';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { HttpServer } from '../http/server.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { adminGuard } from './routes.ts';
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
const { logger, lines } = collectingLogger();
const metrics = createMetrics('test');
let server: HttpServer;
/** Has its effect at once; the test sends the reply. */
const slowThing = { done: false, reply: () => {} };

beforeAll(async () => {
  server = await startTestServer((app) => {
    app.use(adminGuard({ tokenHashes, logger, metrics, audit: null })(1024));
    app.all('/admin/things/:id', (_req, res) => void res.json({ ok: true }));
    app.post('/admin/slow-things/:id', (_req, res) => {
      slowThing.done = true;
      slowThing.reply = () => res.json({ ok: true });
    });
  });
});
afterAll(async () => server[Symbol.asyncDispose]());
beforeEach(() => {
  lines.length = 0;
});

const bearer = (credential: string) => ({ authorization: `Bearer ${credential}` });
const call = (headers: Record<string, string>, init: RequestInit = {}, path = '/admin/things/5') =>
  fetch(server.url + path, { headers, ...init });

const audited = () =>
  lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter((line) => line.audit === true);

describe('an internal admin route', () => {
  it('accepts the credential, and audits who called which route with which outcome', async () => {
    expect((await call(bearer(token))).status).toBe(200);
    expect(audited()).toMatchObject([
      { actor: 'ann', method: 'GET', route: '/admin/things/:id', status: 200, msg: 'admin call' },
    ]);
  });

  it('takes the name from the credential, whatever name its owner claims', async () => {
    expect((await call({ ...bearer(token), 'x-admin-actor': 'bo' })).status).toBe(200);
    expect(audited()).toMatchObject([{ actor: 'ann' }]);
    expect(audited()[0]).not.toHaveProperty('via');
  });

  it('takes the name from the header when the console calls, and notes that it was the console', async () => {
    await call({ ...bearer(consoleToken), 'x-admin-actor': 'bo' });
    await call(bearer(consoleToken));
    const [named, unnamed] = audited();
    expect([named, unnamed]).toMatchObject([{ actor: 'bo', via: 'console' }, { actor: 'console' }]);
    expect(unnamed).not.toHaveProperty('via');
  });

  it('counts calls of people with an emergency token, which only the console can name', async () => {
    const counted = async () =>
      (await metrics.registry.getSingleMetric('admin_emergency_calls_total')?.get())?.values[0]?.value;
    const before = (await counted()) ?? 0;
    const emergency = { 'x-admin-actor': 'bo', 'x-admin-via': 'emergency' };
    await call({ ...bearer(token), ...emergency });
    expect(await counted()).toBe(before);
    await call({ ...bearer(consoleToken), ...emergency });
    expect(await counted()).toBe(before + 1);
    expect(audited()).toMatchObject([{ actor: 'ann' }, { actor: 'bo', via: 'emergency' }]);
  });

  it('audits which one was changed and why, on one line', async () => {
    const body = JSON.stringify({ reason: 'unpaid\nsince May' });
    const headers = { ...bearer(token), 'content-type': 'application/json' };
    await call(headers, { method: 'POST', body }, '/admin/things/5?name=jo');
    expect(audited()).toMatchObject([{ path: '/admin/things/5', reason: 'unpaid since May' }]);
  });

  it('audits once what a caller did who left before the reply', async () => {
    const leave = new AbortController();
    const init = { method: 'POST', signal: leave.signal };
    const called = call(bearer(token), init, '/admin/slow-things/5');
    await eventually(() => expect(slowThing.done).toBe(true));
    leave.abort();
    await expect(called).rejects.toMatchObject({ name: 'AbortError' });
    await eventually(() =>
      expect(audited()).toMatchObject([
        { actor: 'ann', method: 'POST', path: '/admin/slow-things/5', status: 499 },
      ]),
    );
    slowThing.reply();
    expect(audited()).toHaveLength(1);
  });

  it('audits no text of a caller without the credential', async () => {
    const headers = { 'content-type': 'application/json', 'x-admin-actor': 'made-up' };
    const body = JSON.stringify({ reason: 'a made-up reason' });
    await call(headers, { method: 'POST', body }, '/admin/things/made-up-id');
    expect(audited()).toHaveLength(1);
    expect(lines.join()).not.toContain('made-up');
  });

  it.each([
    ['no credential', ''],
    ['a wrong credential', `Bearer ${token}x`],
    ['another scheme', `Basic ${token}`],
    ['the hash in the setting', `Bearer ${tokenHashes.split(/[:,]/)[1]}`],
    ['the token from which the credential is made', `Bearer ${tokens.ann}`],
    ['the credential of another service', `Bearer ${adminCredential(tokens.ann, 'billing')}`],
  ])('refuses %s with 401, audited too', async (_case, authorization) => {
    const response = await call({ authorization });
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({ message: 'Unauthorised' });
    expect(audited()).toMatchObject([{ status: 401, msg: 'admin call refused' }]);
  });

  it('never logs the credential', async () => {
    await call(bearer(token));
    expect(lines.join()).not.toContain(token);
  });
});
