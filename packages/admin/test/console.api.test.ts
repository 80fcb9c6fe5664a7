/** The staff's console before a stand-in for all services. */

import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { adminCredential, hashEntry } from '@offer-ads/platform/admin/tokens';
import { createLogger } from '@offer-ads/platform/telemetry/logging';
import { type TestClock, testClock } from '@offer-ads/testing/clock';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { readConsoleConfig } from '../src/console/config.ts';
import { type Console, startConsole } from '../src/console/service.ts';

const adminToken = 'an-admin-token-that-only-tests-ever-use-0123';
const annToken = 'anns-access-token-that-only-tests-ever-use';
const boToken = 'bos-access-token-that-only-tests-ever-use-0';
const staffEntry = (name: string, token: string) => hashEntry(name, token, 'console');
const publicUrl = 'https://console.test';

type Asked = { call: string; actor: string; authorization: string; body: unknown };
const asked: Asked[] = [];
let answer: { status: number; type: string; body: string };
const lines: string[] = [];
let clock: TestClock;
let console_: Console;
let folder: string;
let staffFile: string;

async function receive(req: IncomingMessage) {
  const body = await text(req);
  const { authorization = '', 'x-admin-actor': actor = '' } = req.headers;
  asked.push({
    call: `${req.method} ${req.url}`,
    actor: String(actor),
    authorization,
    body: body === '' ? null : JSON.parse(body),
  });
}
async function reply(req: IncomingMessage, res: ServerResponse): Promise<void> {
  await receive(req);
  res.writeHead(answer.status, { 'content-type': answer.type, 'set-cookie': 'from=service' });
  res.end(answer.body);
}
const services = createServer((req, res) => void reply(req, res));

// On a busy machine seconds pass between two calls, and the second must not meet a connection that is being closed.
services.keepAliveTimeout = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'console-staff-'));
  staffFile = join(folder, 'staff');
  await new Promise<void>((resolve) => services.listen(0, '127.0.0.1', resolve));
  const at = `http://127.0.0.1:${(services.address() as AddressInfo).port}`;
  writeStaff(`${staffEntry('ann', annToken)},${staffEntry('bo', boToken)}`);
  clock = testClock('2026-11-20T09:00:00Z');
  const config = readConsoleConfig({
    GATEWAY_ADMIN_URL: at,
    OFFERS_ADMIN_URL: at,
    BILLING_ADMIN_URL: at,
    PRICING_ADMIN_URL: at,
    MODERATION_ADMIN_URL: at,
    NOTIFIER_ADMIN_URL: 'http://127.0.0.1:1',
    ADMIN_TOKEN: adminToken,
    CONSOLE_STAFF_FILE: staffFile,
    PUBLIC_URL: publicUrl,
    PORT: '0',
  });
  const destination = { write: (line: string) => lines.push(line) };
  const logger = createLogger({ service: 'console', level: 'info', destination });
  console_ = await startConsole(config, { clock, logger });
});
afterAll(async () => {
  await console_[Symbol.asyncDispose]();
  services.closeAllConnections();
  services.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  writeStaff(`${staffEntry('ann', annToken)},${staffEntry('bo', boToken)}`);
  // Attempts of the test before are no longer counted, and the file is read anew.
  clock.advance(11 * 60_000);
  asked.length = 0;
  lines.length = 0;
  answer = { status: 200, type: 'application/json', body: '{"done":true}' };
});

function writeStaff(staff: string): void {
  writeFileSync(staffFile, `${staff}\n`);
  chmodSync(staffFile, 0o600);
}

type Caller = { cookie?: string; csrfToken?: string };
type Sent = { method?: string; json?: unknown; headers?: Record<string, string> };

async function call(path: string, { cookie, csrfToken }: Caller = {}, o: Sent = {}) {
  const response = await fetch(console_.url + path, {
    method: o.method ?? 'GET',
    headers: {
      origin: publicUrl,
      'sec-fetch-site': 'same-origin',
      ...(cookie !== undefined && { cookie }),
      ...(csrfToken !== undefined && { 'x-csrf-token': csrfToken }),
      ...(o.json !== undefined && { 'content-type': 'application/json' }),
      ...o.headers,
    },
    ...(o.json !== undefined && { body: JSON.stringify(o.json) }),
  });
  return { status: response.status, headers: response.headers, body: await response.text() };
}

/** With the path as it stands: `fetch` would climb by itself. */
async function statusOf(method: string, path: string, { cookie, csrfToken }: Caller): Promise<number> {
  const headers = { origin: publicUrl, cookie, 'x-csrf-token': csrfToken };
  const sent = request(console_.url, { method, path, headers }).end();
  const [reply] = (await once(sent, 'response')) as [IncomingMessage];
  reply.resume();
  await once(reply, 'end');
  return reply.statusCode ?? 0;
}

const signInAs = (name: string, token: string, o: Sent = {}) =>
  call('/api/sign-in', {}, { method: 'POST', json: { name, token }, ...o });

async function signedIn(name = 'ann', token = annToken): Promise<Required<Caller>> {
  const reply = await signInAs(name, token);
  expect(reply.status).toBe(200);
  const cookie = reply.headers.get('set-cookie')?.split(';')[0] ?? '';
  return { cookie, csrfToken: (JSON.parse(reply.body) as { csrfToken: string }).csrfToken };
}

const disable = (caller: Caller, o: Sent = {}) =>
  call('/api/gateway/organisations/3/disable', caller, { method: 'POST', json: { reason: 'unpaid' }, ...o });

describe('signing in', () => {
  it('takes a name and its token, and gives a cookie that only our https pages can use', async () => {
    const reply = await signInAs('ann', annToken);
    expect([reply.status, JSON.parse(reply.body)]).toEqual([
      200,
      { name: 'ann', csrfToken: expect.any(String) },
    ]);
    expect(reply.headers.get('set-cookie')).toMatch(
      /^__Host-console=[\w-]{43}; Max-Age=28800; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
    expect(lines.some((line) => line.includes('"actor":"ann","msg":"signed in to the console"'))).toBe(true);
  });

  it.each([
    ['a wrong token', 'ann', boToken],
    ['an unknown name', 'somebody-unknown', annToken],
    ['nothing', '', ''],
  ])('refuses %s in the same words, and logs neither', async (_what, name, token) => {
    const reply = await signInAs(name, token);
    expect([reply.status, JSON.parse(reply.body)]).toEqual([
      401,
      { message: 'The name or the access token is wrong' },
    ]);
    expect(reply.headers.get('set-cookie')).toBeNull();
    expect(lines.some((line) => line.includes('"audit":true'))).toBe(true);
    expect(lines.join()).not.toContain(annToken);
    expect(lines.join()).not.toContain('somebody-unknown');
  });

  it('is refused from another site, and after ten attempts', async () => {
    const foreign = await signInAs('ann', annToken, { headers: { origin: 'https://evil.test' } });
    expect(foreign.status).toBe(403);
    for (let attempt = 0; attempt < 10; attempt += 1)
      expect((await signInAs('ann', 'wrong')).status).toBe(401);
    const tooMany = await signInAs('ann', annToken);
    expect(tooMany.status).toBe(429);
    expect(Number(tooMany.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('goes on for colleagues at the address from which somebody tried too often', async () => {
    for (let attempt = 0; attempt < 11; attempt += 1) await signInAs('ann', 'wrong');
    for (let attempt = 0; attempt < 200; attempt += 1) await signInAs(`made-up-${attempt}`, 'wrong');
    expect((await signInAs('ann', annToken)).status).toBe(429);
    expect((await signInAs('bo', boToken)).status).toBe(200);
  });
});

describe('whoever is not signed in', () => {
  it.each([
    '/api/session',
    '/api/health',
    '/api/gateway/organisations',
    '/api/moderation/pictures',
    '/api/x',
  ])('is told nothing at %s', async (path) => {
    for (const cookie of [undefined, '__Host-console=made-up'])
      expect((await call(path, { ...(cookie && { cookie }) })).status).toBe(401);
    expect(asked).toEqual([]);
  });

  it('is out at once when taken out of the staff, and when somebody writes the file wrongly', async () => {
    const ann = await signedIn();
    const bo = await signedIn('bo', boToken);
    writeStaff(staffEntry('bo', boToken));
    clock.advance(1_001);
    expect((await disable(ann)).status).toBe(401);
    expect((await disable(bo)).status).toBe(200);
    writeStaff('not a list');
    clock.advance(1_001);
    expect((await disable(bo)).status).toBe(401);
    expect(lines.join()).toContain('nobody can sign in to the console');
  });

  it('is whoever has signed out', async () => {
    const ann = await signedIn();
    expect((await call('/api/sign-out', ann, { method: 'POST' })).status).toBe(204);
    expect((await call('/api/session', ann)).status).toBe(401);
  });

  it('is whoever has rested for half an hour', async () => {
    const ann = await signedIn();
    clock.advance(30 * 60_000);
    expect((await call('/api/session', ann)).status).toBe(401);
  });
});

describe('a change', () => {
  it("is made in the person's name with the services' credential, which the browser never sees", async () => {
    const reply = await disable(await signedIn());
    expect([reply.status, reply.body]).toEqual([200, '{"done":true}']);
    expect(asked).toEqual([
      {
        call: 'POST /admin/organisations/3/disable',
        actor: 'ann',
        authorization: `Bearer ${adminCredential(adminToken, 'gateway')}`,
        body: { reason: 'unpaid' },
      },
    ]);
    const seen = [...reply.headers.values()].join();
    for (const secret of [adminToken, adminCredential(adminToken, 'gateway')])
      expect(seen).not.toContain(secret);
    expect(reply.headers.get('set-cookie')).toBeNull();
  });

  it.each([
    ['without the token of the session', {}, { csrfToken: '' }],
    ['with the token of another session', {}, { csrfToken: 'made-up' }],
    ['from another site', { headers: { 'sec-fetch-site': 'cross-site' } }, {}],
    ['from another origin', { headers: { origin: 'https://evil.test' } }, {}],
  ])('is refused %s', async (_how, sent, other) => {
    expect((await disable({ ...(await signedIn()), ...other }, sent)).status).toBe(403);
    expect(asked).toEqual([]);
  });

  it('is in the name of the session, whatever the page says', async () => {
    const json = { action: 'block', reason: 'stolen', name: '0'.repeat(64) };
    const headers = { 'x-admin-actor': 'bo' };
    await call('/api/moderation/rulings', await signedIn(), { method: 'POST', json, headers });
    expect(asked).toMatchObject([{ call: 'POST /admin/rulings', actor: 'ann' }]);
  });

  it('that somebody else has made since the page was read is told instead of made again', async () => {
    const ann = await signedIn();
    const bo = await signedIn('bo', boToken);
    expect((await disable(ann)).status).toBe(200);
    clock.advance(30_000);
    const second = await disable(bo, { headers: { 'x-seen-ms-ago': '60000' } });
    expect([second.status, JSON.parse(second.body)]).toEqual([
      409,
      { message: 'Meanwhile ann has decided about this, 30 seconds ago: disable, because: unpaid' },
    ]);
    expect(asked).toHaveLength(1);
    expect((await disable(bo, { headers: { 'x-seen-ms-ago': '10000' } })).status).toBe(200);
  });

  it.each([
    ['a picture', '/api/moderation/rulings', { action: 'block', name: '0'.repeat(64), reason: 'stolen' }],
    ['a refund', '/api/billing/card-problems/settle', { id: 're_1', borneBy: 'platform', reason: 'ours' }],
    ['a fixing', '/api/pricing/rates/refresh', { acceptJump: '2026-11-20', reason: 'it is true' }],
    ['an approval', '/api/gateway/organisations/3/withdraw-approval', { reason: 'approved by mistake' }],
    ['parked events', '/api/offers/parked/drop', { ids: ['a', 'b'], reason: 'unreadable' }],
  ])('about %s is made by one person, and another one is told who it was', async (_what, path, json) => {
    const send = async (caller: Caller, o: Sent = {}) => call(path, caller, { method: 'POST', json, ...o });
    const [ann, bo] = [await signedIn(), await signedIn('bo', boToken)];
    expect((await send(ann)).status).toBe(200);
    const second = await send(bo, { headers: { 'x-seen-ms-ago': '5000' } });
    expect([second.status, second.body]).toEqual([409, expect.stringContaining('Meanwhile ann has decided')]);
  });

  it('that came to nothing keeps nobody from making it', async () => {
    answer = { status: 409, type: 'application/json', body: '{"message":"too low"}' };
    expect((await disable(await signedIn())).status).toBe(409);
    answer = { status: 200, type: 'application/json', body: '{"done":true}' };
    const bo = await signedIn('bo', boToken);
    expect((await disable(bo, { headers: { 'x-seen-ms-ago': '60000' } })).status).toBe(200);
  });

  it('that no page has is not passed on', async () => {
    const ann = await signedIn();
    for (const path of ['/api/gateway/keys', '/api/billing/balances/top-up', '/api/pricing/members/import'])
      expect((await call(path, ann, { method: 'POST', json: {} })).status).toBe(404);
    for (const path of ['/api/gateway/parked', '/api/moderation/parked', '/api/gateway/..%2flivez'])
      expect((await call(path, ann)).status).toBe(404);
    expect(asked).toEqual([]);
  });

  it('is not passed on to a route that the path climbs to', async () => {
    const ann = await signedIn();
    for (const dots of ['.', '..', '%2e', '%2e%2e', '.%2E'])
      for (const path of [`gateway/organisations/${dots}`, `gateway/organisations/${dots}/keys`])
        expect(await statusOf('GET', `/api/${path}`, ann)).toBe(404);
    expect(await statusOf('POST', '/api/offers/offers/%2e%2e/disable', ann)).toBe(404);
    expect(asked).toEqual([]);
  });
});

describe('what a service answers', () => {
  it('is passed on with its status, its query and its ids as they were', async () => {
    answer = { status: 409, type: 'application/json', body: '{"message":"Offer is already disabled"}' };
    const ann = await signedIn();
    const refused = await call('/api/offers/offers/7/disable', ann, { method: 'POST', json: {} });
    expect([refused.status, refused.body]).toEqual([409, answer.body]);
    await call('/api/gateway/organisations?search=a%26b&limit=5', ann);
    await call('/api/offers/offers/..%2F..%2Flivez', ann);
    expect(asked.map((one) => one.call)).toEqual([
      'POST /admin/offers/7/disable',
      'GET /admin/organisations?search=a%26b&limit=5',
      'GET /admin/offers/..%2F..%2Flivez',
    ]);
  });

  it('is shown as a picture where it is one, and as nothing else that a browser runs', async () => {
    const ann = await signedIn();
    const name = '0'.repeat(64);
    answer = { status: 200, type: 'application/json', body: JSON.stringify({ jpegBase64: 'AAEC' }) };
    const copy = await call(`/api/moderation/pictures/${name}/copy`, ann);
    expect([copy.headers.get('content-type'), copy.body]).toEqual(['image/jpeg', '\0\u0001\u0002']);
    answer = { status: 200, type: 'text/html', body: '<script>' };
    expect((await call(`/api/offers/images/${name}`, ann)).status).toBe(502);
  });

  it('is 502 and not 401 when the credential is refused or nobody answers', async () => {
    const ann = await signedIn();
    answer = { status: 401, type: 'application/json', body: '{}' };
    expect((await call('/api/gateway/organisations', ann)).status).toBe(502);
    const away = await call('/api/notifier/parked', ann);
    expect([away.status, away.body]).toEqual([502, expect.stringContaining('notifier does not answer')]);
    expect(away.body).not.toContain('127.0.0.1');
  });
});

describe('the health', () => {
  it('is gathered from what the services tell, and what is silent is said to be', async () => {
    const ann = await signedIn();
    answer = {
      status: 200,
      type: 'text/plain',
      body: 'queue_messages{queue="parked"} 2\nledger_check_problems 0\norganisations_waiting_for_approval 3\n',
    };
    // Whoever does not answer within three seconds, as on a machine that stands still, is asked again once two have passed.
    await eventually(async () => {
      clock.advance(2_000);
      const { body } = await call('/api/health', ann);
      const health = JSON.parse(body) as {
        services: { name: string; parked: number | null; ready: boolean }[];
        waitingForApproval: number | null;
      };
      expect(health.waitingForApproval).toBe(3);
      expect(health.services.find(({ name }) => name === 'offers')).toMatchObject({ ready: true, parked: 2 });
      expect(health.services.find(({ name }) => name === 'notifier')).toMatchObject({
        ready: false,
        parked: null,
        problems: ['does not answer'],
      });
    });
  });
});

describe('a page', () => {
  it.each(['/', '/organisations/3', '/pictures/decisions'])(
    'at %s runs our own scripts only, is framed by nobody and kept by nobody',
    async (path) => {
      const { status, headers, body } = await call(path);
      expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'; script-src 'self'");
      expect(policy).toContain("require-trusted-types-for 'script'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(body).not.toMatch(/<script(?![^>]* src=)/);
      for (const [, address = ''] of body.matchAll(/(?:src|href)="([^"]+)"/g))
        expect([address, (await call(address)).status]).toEqual([address, 200]);
    },
  );

  it.each(['/index.html', '/.env', '/assets/none.js', '/a.b'])('does not exist at %s', async (path) => {
    expect((await call(path)).status).toBe(404);
  });
});
